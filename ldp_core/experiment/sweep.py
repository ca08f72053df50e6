"""A sweep: one experiment under many settings of its fields, with several seeds each.

The settings are a grid of values (`grid`), a list (`list`), or a Latin hypercube (`latin`;
McKay, Beckman, Conover 1979), which covers many fields evenly by few settings.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from ldp_core import limits
from ldp_core.errors import InvalidExperiment, Problem, on_one_line, one_of, shown
from ldp_core.experiment.overrides import at, changed
from ldp_core.experiment.planning import plan
from ldp_core.experiment.reading import checked_by, parse, unknown
from ldp_core.experiment.schema import Experiment
from ldp_core.fields import Whole, is_number
from ldp_core.streams import stream
from ldp_core.tables import two_readings, typed

GridNumber = int | float
Scalar = str | int | float | bool | None
WAYS = ("grid", "list", "latin")
FIELDS = ("base", *WAYS, "seeds")


@dataclass(frozen=True)
class Hypercube:
    """A Latin hypercube of `points` settings: each field's range has `points` slices, each used once."""

    fields: Mapping[str, tuple[GridNumber, GridNumber]]
    """Least and largest value by dotted field name."""
    points: int

    def settings(self, base: Experiment) -> list[dict[str, GridNumber]]:
        """Settings drawn by the base's seed, sorted by the first field: on a logarithmic scale for ranges
        above 0, rounded for integer fields, without duplicates.
        """
        data, generator = base.as_json(), stream(base.seed, "hypercube")
        slices = np.stack([generator.permutation(self.points) for _ in self.fields], axis=1)
        places = (slices + generator.random(slices.shape)) / self.points
        columns = []
        for u, (path, (low, high)) in zip(places.T, self.fields.items(), strict=True):
            values = low * (high / low) ** u if low > 0 else low + u * (high - low)
            whole = isinstance(at(data, path), int)
            columns.append([round(v) if whole else float(f"{v:.4g}") for v in values.tolist()])
        rows = sorted(dict.fromkeys(zip(*columns, strict=True)))
        return [dict(zip(self.fields, row, strict=True)) for row in rows]

    def as_json(self) -> dict[str, Any]:
        return {"fields": {name: list(ends) for name, ends in self.fields.items()}, "points": self.points}


def parse_hypercube(data: Any) -> Hypercube:
    """Hypercube of a JSON object `{"fields": {NAME: [LOW, HIGH]}, "points"}`. Raises InvalidExperiment: every
    field that is wrong.
    """
    like = 'must be like {"fields": {"clients.epsilon": [0.5, 8]}, "points": 20}'
    if not isinstance(data, Mapping):
        raise InvalidExperiment.at("latin", f"{like}; got {shown(data)}")
    problems = unknown(data, "hypercube", ("fields", "points"), "latin.")
    points: Any = data.get("points")
    most = int(limits.SWEEP_RUNS.maximum)
    if not isinstance(points, int) or isinstance(points, bool) or not 2 <= points <= most:
        message = f"must be a whole number between 2 and {most}; got {shown(points)}"
        problems.append(Problem("latin.points", message))
    fields = data.get("fields")
    if not isinstance(fields, Mapping) or not fields:
        raise InvalidExperiment([*problems, Problem("latin.fields", f"{like}; got {shown(fields)}")])
    for name, ends in fields.items():
        right = isinstance(ends, list | tuple) and len(ends) == 2 and all(map(is_number, ends))
        if not right or not ends[0] < ends[1]:
            message = f"must have its least and its largest value, like [0.5, 8]; got {shown(ends)}"
            problems.append(Problem(str(name), message))
    if problems:
        raise InvalidExperiment(problems)
    return Hypercube({str(name): (ends[0], ends[1]) for name, ends in fields.items()}, points)


@dataclass(frozen=True)
class GridCell:
    set: Mapping[str, Scalar]
    seed: int
    experiment: Experiment


@dataclass(frozen=True)
class Sweep:
    """A base experiment and the settings of its cells; cells are trained without attacks."""

    base: Experiment
    grid: Mapping[str, tuple[Scalar, ...]]
    """Values by dotted field name; empty if settings are listed or drawn."""
    seeds: int = 1
    """Seeds per setting, counted up from the base's, so that cells with the same seed are paired."""
    listed: tuple[Mapping[str, Scalar], ...] = ()
    """Settings listed one by one."""
    latin: Hypercube | None = None
    """Hypercube that settings are drawn from; None otherwise."""

    @cached_property
    def settings(self) -> tuple[Mapping[str, Scalar], ...]:
        """Field values of each setting; the last field of a grid changes fastest."""
        if self.latin:
            return tuple(self.latin.settings(self.base))
        if self.listed:
            return self.listed
        return tuple(dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values()))

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for setting in self.settings for name in setting))

    @cached_property
    def cells(self) -> tuple[GridCell, ...]:
        """Cells seed by seed, in the order of the settings. Raises InvalidExperiment: a cell that cannot run,
        with its values; or two equal cells.
        """
        settings = self.settings
        first = [_made(self.base, {**one, "attack": None}, one) for one in settings]
        cells = tuple(
            GridCell(one, made.seed + s, _made(made, {"seed": made.seed + s}, one) if s else made)
            for s in range(self.seeds)
            for one, made in zip(settings, first, strict=True)
        )
        known = dict[str, GridCell]()
        for cell in cells:
            same = known.setdefault(plan(cell.experiment).key, cell)
            if same is not cell:
                words = f"holds the same experiment twice: as {_of(same)} and as {_of(cell)}"
                raise InvalidExperiment.at("the grid" if self.grid else "the list", words)
        return cells

    def as_json(self) -> dict[str, Any]:
        way: dict[str, Any] = {"grid": {name: list(values) for name, values in self.grid.items()}}
        if self.latin:
            way = {"latin": self.latin.as_json()}
        elif self.listed:
            way = {"list": [dict(one) for one in self.listed]}
        return {"base": self.base.as_json(), **way, "seeds": self.seeds}


def parse_sweep(data: Any, cells: bool = True) -> Sweep:
    """Sweep of a JSON object `{"base", "grid", "seeds"}`; "list" or "latin" may replace "grid". Raises
    InvalidExperiment: what is wrong, and in which cell; `cells` False for a sweep that was validated before.
    """
    if not isinstance(data, Mapping):
        raise InvalidExperiment.at("", f"a sweep must be a JSON object; got {shown(data)}")
    if extra := unknown(data, "sweep", FIELDS):
        raise InvalidExperiment(extra)
    seeds = checked_by(Whole(limits.SEEDS), "seeds", data.get("seeds", 1))
    if len(ways := [way for way in WAYS if data.get(way) is not None]) > 1:
        message = f"stand beside each other; a sweep has one of {one_of(WAYS)}"
        raise InvalidExperiment.at(" and ".join(ways), message)
    base = parse(data.get("base", {}))
    grid: dict[str, tuple[Scalar, ...]] = {}
    listed: tuple[dict[str, Scalar], ...] = ()
    latin = None
    if ways == ["latin"]:
        latin = parse_hypercube(data["latin"])
    elif ways == ["list"]:
        listed = _listed(data["list"])
    else:
        asked = data.get("grid")
        if not isinstance(asked, Mapping) or not asked:
            like = 'like {"rounds": [5, 10]}'
            raise InvalidExperiment.at(
                "grid", f"must name fields and their values, {like}; got {shown(asked)}"
            )
        grid = {str(name): _values(str(name), values) for name, values in asked.items()}
    numbers = [latin.points] if latin else [len(listed)] if listed else [len(v) for v in grid.values()]
    runs = seeds * math.prod(numbers)
    if not limits.SWEEP_RUNS.allows(runs):
        counts = " × ".join(map(str, numbers))
        most = limits.spelled(limits.SWEEP_RUNS.maximum)
        of_each = f" × {seeds} seeds" if seeds > 1 else ""
        message = f"makes {counts}{of_each} = {limits.spelled(runs)} runs, and may make {most}"
        raise InvalidExperiment.at("the grid" if grid else "the sweep", message)
    sweep = Sweep(base, grid, seeds, listed, latin)
    if cells:
        _ = sweep.cells  # which refuses those that cannot run
        for name, values in grid.items():
            if len(values) == 1:
                how = "give it two to sweep over it, or set it in the base"
                raise InvalidExperiment.at(name, f"has one value, {shown(values[0])}: {how}")
    return sweep


def _listed(given: Any) -> tuple[dict[str, Scalar], ...]:
    if not isinstance(given, list | tuple) or not given:
        message = f'must name settings, like [{{"rounds": 5}}, {{"rounds": 10}}]; got {shown(given)}'
        raise InvalidExperiment.at("list", message)
    for number, one in enumerate(given, start=1):
        if not isinstance(one, Mapping) or not one:
            message = f'must name fields and a value each, like {{"rounds": 5}}; got {shown(one)}'
            raise InvalidExperiment.at(f"setting {number} of the list", message)
        for name, value in one.items():
            _values(str(name), [value])
    return tuple({str(name): value for name, value in one.items()} for one in given)


def _values(name: str, values: Any) -> tuple[Scalar, ...]:
    if name.split(".")[0] == "attack":
        message = "cannot be swept over: the cells of a sweep train and are not attacked"
        raise InvalidExperiment.at(name, message)
    if not isinstance(values, list | tuple) or not values:
        raise InvalidExperiment.at(name, f"must have a list of values, one at least; got {shown(values)}")
    known = set()
    for value in values:
        if not isinstance(value, Scalar):
            raise InvalidExperiment.at(name, f"takes numbers, words, true, false or null; got {shown(value)}")
        # 1 and 1.0 are one number, and true is none
        same = (isinstance(value, bool), value)
        if same in known:
            raise InvalidExperiment.at(name, f"must have each value once; got {shown(value)} twice")
        known.add(same)
    return tuple(values)


def _made(base: Experiment, changes: Mapping[str, Any], values: Mapping[str, Scalar]) -> Experiment:
    try:
        return changed(base, changes)
    except InvalidExperiment as error:
        raise error.within(f"the cell {in_words(values)[:200]}") from None


def _of(cell: GridCell) -> str:
    return f"{in_words(cell.set)} with seed {cell.seed}"


def in_words(values: Mapping[str, Scalar]) -> str:
    """Settings as the command line takes them: `clients.epsilon=0.5, mechanism.name=duchi`."""
    words = (value if isinstance(value, str) else json.dumps(value) for value in values.values())
    return on_one_line(", ".join(f"{name}={word}" for name, word in zip(values, words, strict=True)))


STEPS = re.compile(r"([-+−]?[\d.,][^:;]*):([^:;]+):\s*(\d{1,6})\s*(log)?", re.ASCII)
ONE_OR_TWO = re.compile(r"(?:^|,\s+)([-+−]?\d+,\d+)(?=,\s|$)", re.ASCII)
"""Between commas with spaces: text that may be a number with a decimal comma, or two numbers."""
MOST_STEPS = 1000


def _steps(text: str, low: float, high: float, count: int, log: bool) -> list[Scalar]:
    if not (2 <= count <= MOST_STEPS and low < high < math.inf) or (log and low <= 0):
        above, way = (" and above 0", "log") if log else ("", "")
        message = (
            f"takes LOW:HIGH:COUNT{way}, like 0.1:10:5{way}, with LOW below HIGH{above} and a COUNT from 2 "
            f"to {MOST_STEPS}; got {shown(text)}"
        )
        raise InvalidExperiment.at("", message)
    space = np.geomspace if log else np.linspace
    values = [float(f"{one:.12g}") for one in space(low, high, count)]
    return [int(one) if one.is_integer() and not log and float(low).is_integer() else one for one in values]


def _between_semicolons(word: str) -> list[Scalar]:
    number = typed(word)
    if math.isfinite(number):
        return [int(number) if number.is_integer() and not set(word) & set(".,eE") else number]
    if both := "," in word and two_readings(word):
        raise InvalidExperiment.at("", both)
    return read_values(word)


def read_values(text: str) -> list[Scalar]:
    """Values of a grid separated by commas: JSON scalars, or bare words. `0.1:10:5` means five values at
    equal steps, `0.1:10:5log` five of equal ratio. Separated by semicolons, numbers may have decimal commas.
    Raises InvalidExperiment: a value is empty, a list or an object, or the steps are invalid.
    """
    if steps := STEPS.fullmatch(text.strip()):
        return _steps(text, typed(steps[1]), typed(steps[2]), int(steps[3]), bool(steps[4]))
    if ";" in text:
        return [value for word in text.split(";") for value in _between_semicolons(word)]
    if re.search(r",\s", text) and (either := ONE_OR_TWO.search(text)):
        one, two = either[1].replace(",", "."), either[1].replace(",", " and ")
        message = f"has {shown(either[1])}, which may be {one} or {two}: write semicolons between numbers"
        raise InvalidExperiment.at("", message)
    found, rest, decoder = list[Scalar](), text, json.JSONDecoder()
    while True:
        rest = rest.strip()
        try:
            value, end = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            value, end = None, -1
        if end < 0 or rest[end:].strip()[:1] not in ("", ","):  # a bare word, or one that begins as a number
            word, comma, rest = rest.partition(",")
            value = word.strip()
        else:
            _, comma, rest = rest[end:].partition(",")
        if value == "" or not isinstance(value, Scalar):
            message = f"takes numbers or words between commas, like 0.5,1,2; got {shown(text)}"
            raise InvalidExperiment.at("", message)
        found.append(value)
        if not comma:
            return found
