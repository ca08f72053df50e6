"""A sweep: one experiment under a grid of values of its fields, with several seeds each."""

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
from ldp_core.errors import InvalidExperiment, on_one_line, shown
from ldp_core.experiment.overrides import at, changed
from ldp_core.experiment.planning import plan
from ldp_core.experiment.reading import checked_by, parse, unknown
from ldp_core.experiment.reading import typed as typed_word
from ldp_core.experiment.schema import Experiment
from ldp_core.fields import Whole
from ldp_core.streams import stream
from ldp_core.tables import two_readings, typed

Scalar = str | int | float | bool | None
FIELDS = ("base", "grid", "seeds")
EARLIER = ("list", "latin")
"""Fields that stored sweeps may have in place of a grid."""


@dataclass(frozen=True)
class GridCell:
    set: Mapping[str, Scalar]
    seed: int
    experiment: Experiment


@dataclass(frozen=True)
class Sweep:
    """A base experiment and the grid of its cells' settings; cells are trained without attacks."""

    base: Experiment
    grid: Mapping[str, tuple[Scalar, ...]]
    """Values by dotted field name."""
    seeds: int = 1
    """Seeds per setting, counted up from the base's, so that cells with the same seed are paired."""
    listed: tuple[Mapping[str, Scalar], ...] = ()
    """Settings of a stored sweep without a grid."""

    @cached_property
    def settings(self) -> tuple[Mapping[str, Scalar], ...]:
        """Field values of each setting; the last field changes fastest."""
        return self.listed or tuple(
            dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values())
        )

    @property
    def counts(self) -> dict[str, int]:
        """Number of values by field."""
        names = dict.fromkeys(name for one in self.settings for name in one)
        return {name: len({one.get(name) for one in self.settings}) for name in names}

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
                raise InvalidExperiment.at("the grid", words)
        return cells

    def as_json(self) -> dict[str, Any]:
        grid = {name: list(values) for name, values in self.grid.items()}
        way = {"list": [dict(one) for one in self.listed]} if self.listed else {"grid": grid}
        return {"base": self.base.as_json(), **way, "seeds": self.seeds}


def parse_sweep(data: Any, cells: bool = True) -> Sweep:
    """Sweep of a JSON object `{"base", "grid", "seeds"}`. Raises InvalidExperiment: what is wrong, and in
    which cell; `cells` False for a sweep that was validated before.
    """
    if not isinstance(data, Mapping):
        raise InvalidExperiment.at("", f"a sweep must be a JSON object; got {shown(data)}")
    if extra := unknown(data, "sweep", FIELDS if cells else FIELDS + EARLIER):
        raise InvalidExperiment(extra)
    seeds = checked_by(Whole(limits.SEEDS), "seeds", data.get("seeds", 1))
    base, asked = parse(data.get("base", {})), data.get("grid")
    if not cells and {*EARLIER} & {*data}:
        return Sweep(base, {}, seeds, _earlier(data, base))
    if not isinstance(asked, Mapping) or not asked:
        message = f'must name fields and their values, like {{"rounds": [5, 10]}}; got {shown(asked)}'
        raise InvalidExperiment.at("grid", message)
    grid = {str(name): _values(str(name), values) for name, values in asked.items()}
    runs = seeds * math.prod(map(len, grid.values()))
    if not limits.SWEEP_RUNS.allows(runs):
        counts = " × ".join(str(len(values)) for values in grid.values())
        most = limits.spelled(limits.SWEEP_RUNS.maximum)
        of_each = f" × {seeds} seeds" if seeds > 1 else ""
        message = f"makes {counts}{of_each} = {limits.spelled(runs)} runs, and may make {most}"
        raise InvalidExperiment.at("the grid", message)
    sweep = Sweep(base, grid, seeds)
    if cells:
        _ = sweep.cells  # which refuses those that cannot run
        for name, values in grid.items():
            if len(values) == 1:
                how = "give it two to sweep over it, or set it in the base"
                raise InvalidExperiment.at(name, f"has one value, {shown(values[0])}: {how}")
    return sweep


def _earlier(data: Mapping[str, Any], base: Experiment) -> tuple[dict[str, Scalar], ...]:
    """Settings that an earlier version listed, or drew by the base's seed as a Latin hypercube."""
    if "list" in data:
        return tuple(data["list"])
    fields, points = data["latin"]["fields"], data["latin"]["points"]
    whole, generator = base.as_json(), stream(base.seed, "hypercube")
    slices = np.stack([generator.permutation(points) for _ in fields], axis=1)
    columns = []
    for u, (path, (low, high)) in zip(
        ((slices + generator.random(slices.shape)) / points).T, fields.items(), strict=True
    ):
        values = (low * (high / low) ** u if low > 0 else low + u * (high - low)).tolist()
        number = round if isinstance(at(whole, path), int) else lambda value: float(f"{value:.4g}")
        columns.append([*map(number, values)])
    rows = sorted(dict.fromkeys(zip(*columns, strict=True)))
    return tuple(dict(zip(fields, row, strict=True)) for row in rows)


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
    try:
        found: list[Any] = json.loads(f"[{text}]")
    except (ValueError, RecursionError):
        found = [typed_word(word.strip()) for word in text.split(",")]
    if not found or any(not isinstance(one, Scalar) or str(one)[:1] in ("", *'[{"') for one in found):
        message = f"takes numbers or words between commas, like 0.5,1,2; got {shown(text)}"
        raise InvalidExperiment.at("", message)
    return found
