"""A sweep: one experiment under every combination of some values of its fields, and several seeds each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from ldp_core import limits
from ldp_core.errors import InvalidExperiment, Problem, hint, on_one_line, shown
from ldp_core.experiment.overrides import changed
from ldp_core.experiment.reading import parse
from ldp_core.experiment.schema import Experiment

Scalar = str | int | float | bool | None
FIELDS = ("base", "grid", "seeds")


@dataclass(frozen=True)
class Cell:
    """One experiment of a sweep, and what it sets."""

    set: Mapping[str, Scalar]
    seed: int
    experiment: Experiment


@dataclass(frozen=True)
class Sweep:
    """What is swept over. A cell trains and is not attacked: attacks have a kind of job of their own."""

    base: Experiment
    grid: Mapping[str, tuple[Scalar, ...]]
    """Dotted names of fields, and the values that each takes."""
    seeds: int = 1
    """They count up from the cell's own, so that cells of one seed are paired."""

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Seed by seed, in the order of the values, the last field's quickest.

        Raises:
            InvalidExperiment: a cell that cannot run, with what it sets; or two that are the same.
        """
        settings = [dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values())]
        first = [self._experiment(one) for one in settings]
        cells = tuple(
            Cell(one, made.seed + s, made if s == 0 else _with_seed(made, made.seed + s, one))
            for s in range(self.seeds)
            for one, made in zip(settings, first, strict=True)
        )
        known = dict[str, Cell]()
        for cell in cells:
            same = known.setdefault(cell.experiment.key, cell)
            if same is not cell:
                words = f"holds the same experiment twice: as {_of(same)} and as {_of(cell)}"
                raise InvalidExperiment([Problem("the grid", words)])
        return cells

    def _experiment(self, values: Mapping[str, Scalar]) -> Experiment:
        try:
            return changed(self.base, {**values, "attack": None})
        except InvalidExperiment as error:
            raise in_cell(error, values) from None

    def as_json(self) -> dict[str, Any]:
        """As JSON values; `parse_sweep` gives the same sweep back."""
        grid = {name: list(values) for name, values in self.grid.items()}
        return {"base": self.base.as_json(), "grid": grid, "seeds": self.seeds}


def parse_sweep(data: Any, cells: bool = True) -> Sweep:
    """The sweep that a JSON object `{"base", "grid", "seeds"}` describes, all of whose cells can run.

    Args:
        data: JSON values.
        cells: make every cell now; one that was checked before need not be looked at again.

    Raises:
        InvalidExperiment: with what is wrong, and in which cell.
    """
    if not isinstance(data, Mapping):
        raise InvalidExperiment([Problem("", f"a sweep must be a JSON object; got {shown(data)}")])
    extra = [Problem(str(k), f"is not a field of a sweep{hint(k, FIELDS)}") for k in data if k not in FIELDS]
    if extra:
        raise InvalidExperiment(extra)
    seeds = data.get("seeds", 1)
    if isinstance(seeds, bool) or not isinstance(seeds, int) or not limits.SEEDS.allows(seeds):
        message = f"must be a whole number {limits.SEEDS}; got {shown(seeds)}"
        raise InvalidExperiment([Problem("seeds", message)])
    base, grid = parse(data.get("base", {})), _grid(data.get("grid"))
    runs = seeds
    for values in grid.values():
        runs *= len(values)
    if not limits.SWEEP_RUNS.allows(runs):
        counts = " × ".join(str(len(values)) for values in grid.values())
        most = limits.spelled(limits.SWEEP_RUNS.maximum)
        of_each = f" × {seeds} seeds" if seeds > 1 else ""
        message = f"makes {counts}{of_each} = {limits.spelled(runs)} runs, and may make {most}"
        raise InvalidExperiment([Problem("the grid", message)])
    sweep = Sweep(base, grid, seeds)
    if cells:
        _ = sweep.cells  # which refuses those that cannot run
    return sweep


def _grid(given: Any) -> dict[str, tuple[Scalar, ...]]:
    if not isinstance(given, Mapping) or not given:
        message = f'must name fields and their values, like {{"rounds": [5, 10]}}; got {shown(given)}'
        raise InvalidExperiment([Problem("grid", message)])
    return {str(name): _values(str(name), values) for name, values in given.items()}


def _values(name: str, values: Any) -> tuple[Scalar, ...]:
    if name.split(".")[0] == "attack":
        message = "cannot be swept over: the cells of a sweep train and are not attacked"
        raise InvalidExperiment([Problem(name, message)])
    if not isinstance(values, list | tuple) or not values:
        message = f"must have a list of values, one at least; got {shown(values)}"
        raise InvalidExperiment([Problem(name, message)])
    known = set()
    for value in values:
        if not isinstance(value, Scalar):
            message = f"takes numbers, words, true, false or null; got {shown(value)}"
            raise InvalidExperiment([Problem(name, message)])
        # 1 and 1.0 are one number, and true is none
        same = (isinstance(value, bool), value)
        if same in known:
            raise InvalidExperiment([Problem(name, f"must have each value once; got {shown(value)} twice")])
        known.add(same)
    return tuple(values)


def _with_seed(experiment: Experiment, seed: int, values: Mapping[str, Scalar]) -> Experiment:
    try:
        return changed(experiment, {"seed": seed})
    except InvalidExperiment as error:
        raise in_cell(error, values) from None


def in_cell(error: InvalidExperiment, values: Mapping[str, Scalar]) -> InvalidExperiment:
    """The same refusal, with the cell that it is about."""
    where = f" (in the cell {in_words(values)})"
    return InvalidExperiment([Problem(p.path, f"{p.message}{where}") for p in error.problems])


def _of(cell: Cell) -> str:
    return f"{in_words(cell.set)} with seed {cell.seed}"


def in_words(values: Mapping[str, Scalar]) -> str:
    """`clients.epsilon=0.5, mechanism.name=duchi`, as the command line takes it."""
    words = (value if isinstance(value, str) else json.dumps(value) for value in values.values())
    return on_one_line(", ".join(f"{name}={word}" for name, word in zip(values, words, strict=True)))


def read_values(text: str) -> list[Scalar]:
    """The values of a grid between commas: JSON scalars, or bare words.

    Raises:
        InvalidExperiment: one is empty, or a list or an object.
    """
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
            raise InvalidExperiment([Problem("", message)])
        found.append(value)
        if not comma:
            return found
