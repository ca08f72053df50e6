"""CSV of samples: `[trial,] input, output[, coordinate, round, world]`, in any spreadsheet's notation."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets import Seen
from ldp_core.errors import InvalidExperiment, Problem, one_of, shown
from ldp_core.limits import number, spelled
from ldp_core.mechanisms.base import Floats
from ldp_core.tables import MOST_BYTES, Heading, Table, find, read_table

NEEDED = ("input", "output")
HEADINGS = {
    "trial": Heading.of("trial sample run id", "number nr no"),
    "input": Heading.of("input in x value true truth", "of the"),
    "output": Heading.of("output out y answer noisy released release", "of the value"),
    "coordinate": Heading.of("coordinate coord dimension dim index weight", "number nr no"),
    "round": Heading.of("round step", "number nr no"),
    "world": Heading.of("world side", "number nr no"),
}
APART = {
    "epsilon": Heading.of("epsilon eps ε budget claimed", "privacy value claimed total"),
    "delta": Heading.of("delta δ", "privacy value claimed"),
    "mechanism": Heading.of("mechanism", "name"),
}
"""Columns of which a file has one value: an audit is of one mechanism and one claim."""
CLAIMED = "epsilon", "delta"
SHOWN, MOST = 3, 6
"""Numbers of rows that are shown, and of inputs that are named."""
TWO = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
"""Numbers for the words of a yes-or-no column."""


@dataclass(frozen=True)
class OutputSamples:
    """Trials of a mechanism."""

    inputs: Floats
    """Inputs, (trials, rounds, coordinates)."""
    outputs: Floats
    worlds: NDArray[np.str_] | None
    """Name of each trial's neighbouring input, (trials,); None if the table has none."""
    claimed: Mapping[str, float]
    """ε and δ, where the file says them."""
    seen: Seen


def read_samples(
    data: bytes, most: int = MOST_BYTES, claimed: Mapping[str, float] = MappingProxyType({})
) -> OutputSamples:
    """Trials of a file; without a column `trial` each row is one. Raises `InvalidExperiment`, also where its
    own column of something `claimed` has another value.
    """
    table = read_table(data, most)
    names = find(table.headings, HEADINGS | APART)
    if missing := [name for name in NEEDED if name not in names]:
        message = f"has no column {one_of(missing)}; got {shown(', '.join(table.headings), 80)}"
        message += f"; columns are {', '.join(HEADINGS)}, "
        "and a row is one value (of a trial with several, a coordinate)"
        raise InvalidExperiment([Problem("line 1", message)])
    if twice := [name for name in HEADINGS if names.count(name) > 1]:
        raise InvalidExperiment([Problem("line 1", f"has two columns for {twice[0]}; keep one")])
    if table.problems:
        raise InvalidExperiment(table.problems[:3])
    if not table.rows:
        raise InvalidExperiment([Problem("", "the file has a header and no sample below it")])
    stated = dict[str, float]()
    for name in APART:
        several = {row[names.index(name)].strip() for row in table.rows} if name in names else set()
        if len(several) > 1:
            some = " and ".join(shown(cell) for cell in sorted(several)[:2])
            message = (
                f"has {spelled(len(several))} values, {some} among them; audit each in a file of its own"
            )
            raise InvalidExperiment([Problem(f"column {name}", message)])
        cell = several.pop() if several else ""
        if cell and name in CLAIMED and math.isfinite(value := table.number(cell)):
            stated[name] = value
        if cell and name in claimed and table.number(cell) != claimed[name]:
            claim = f"the claim {number(claimed[name], 6)}"
            message = f"says {shown(cell)} and {claim}; audit the claim that the file is of"
            raise InvalidExperiment([Problem(f"column {name}", message)])
    columns = {name: names.index(name) for name in HEADINGS if name in names}
    if "trial" not in columns and (apart := [name for name in ("coordinate", "round") if name in columns]):
        raise InvalidExperiment([Problem("line 1", f"has a column {apart[0]} and none that names the trial")])
    values = np.stack([_numbers(table, name, columns[name]) for name in NEEDED])
    cells = {name: _cells(table, name, columns[name]) for name in columns if name not in NEEDED}
    if "trial" not in cells:
        inputs, outputs = values.reshape(2, -1, 1, 1)
        worlds = cells.get("world")
    else:
        inputs, outputs, worlds = _folded(table, values, cells)
    return OutputSamples(
        inputs, outputs, worlds, stated, _seen(table, names, inputs, worlds, {**stated, **claimed})
    )


def _seen(
    table: Table, names: list[str], x: Floats, worlds: NDArray[np.str_] | None, claimed: Mapping[str, float]
) -> Seen:
    """What was recognised, and which claim is asked for."""
    read = [f"{heading}: {name or 'not read'}" for heading, name in zip(table.headings, names, strict=True)]
    seen = Seen(rows=[read, *([cell.strip() for cell in row] for row in table.rows[:SHOWN])])
    if other := [heading for heading, name in zip(table.headings, names, strict=True) if not name]:
        seen.notes.append(f"left out: {shown(', '.join(other), 120)}, which name nothing of an audit")
    if {cell.strip().casefold() for row in table.rows[:SHOWN] for cell in row} & TWO.keys():
        seen.notes.append("yes and true are read as 1, no and false as 0")
    by = x.reshape(len(x), -1).mean(axis=1).round(9).astype(str) if worlds is None else worlds
    counts = zip(*np.unique(by, return_counts=True), strict=True)
    each = [f"{shown(str(one), 20)} ({spelled(int(n))} times)" for one, n in counts]
    what = "inputs" if worlds is None else "worlds"
    more = f" and {spelled(len(each) - MOST)} more" if len(each) > MOST else ""
    size = f", each of {spelled(x[0].size)} values" if x[0].size > 1 else ""
    seen.gives.append(f"{spelled(len(x))} trials{size}; {what}: {', '.join(each[:MOST])}{more}")
    if "epsilon" not in claimed:
        seen.ask("which ε is claimed, for all that one trial holds?")
    else:
        also = f", δ {number(claimed['delta'], 6)}" if claimed.get("delta") else ""
        seen.ask(f"claimed: ε {number(claimed['epsilon'], 6)}{also}", proved=True)
    return seen


def _folded(
    table: Table, values: Floats, cells: dict[str, NDArray[np.str_]]
) -> tuple[Floats, Floats, NDArray[np.str_] | None]:
    """Inputs, outputs and worlds of trials with their rows side by side, by round and coordinate."""
    none = np.full(len(table.rows), "")
    world = cells.get("world", none)
    trials, trial = np.unique(np.stack([world, cells["trial"]]), axis=1, return_inverse=True)
    places = []
    for name in ("round", "coordinate"):
        _, place = np.unique(_in_order(cells.get(name, none)), return_inverse=True)
        places.append(place.ravel())
    shape = (trials.shape[1], *(int(place.max()) + 1 for place in places))
    if (needed := math.prod(shape)) > 2 * len(table.rows):
        each = f"{spelled(shape[1])} rounds and {spelled(shape[2])} coordinates"
        message = f"names {spelled(shape[0])} trials, {each}: {spelled(needed)} rows, of which it has "
        message += f"{spelled(len(table.rows))}; each trial needs a row for each round and coordinate"
        raise InvalidExperiment([Problem("", message)])
    flat = np.ravel_multi_index((trial.ravel(), *places), shape)
    count = np.bincount(flat, minlength=needed)
    if (count != 1).any():
        first = int(np.argmax(count != 1))
        number, r, c = map(int, np.unravel_index(first, shape))
        times = spelled(int(count[first]))
        where = f"round {spelled(r + 1)} and coordinate {spelled(c + 1)}"
        message = f"has {times} rows for {where} of those in the file; each trial needs one"
        raise InvalidExperiment([Problem(f"trial {shown(str(trials[1][number]))}", message)])
    cubes = np.empty((2, count.size))
    cubes[:, flat] = values
    own = trials[0] if "world" in cells else None
    inputs, outputs = cubes.reshape(2, *shape)
    return inputs, outputs, own


def _in_order(cells: NDArray[np.str_]) -> NDArray[np.float64] | NDArray[np.str_]:
    try:
        return cells.astype(np.float64)
    except ValueError:
        return cells


def _cells(table: Table, name: str, column: int) -> NDArray[np.str_]:
    cells = [row[column].strip() if column < len(row) else "" for row in table.rows]
    if "" in cells:
        raise InvalidExperiment([Problem(f"line {table.lines[cells.index('')]}", f"has no {name}")])
    return np.array(cells)


def _numbers(table: Table, name: str, column: int) -> Floats:
    cells = [row[column] if column < len(row) else "" for row in table.rows]
    if {cell.strip().casefold() for cell in cells} <= TWO.keys():
        return np.array([TWO[cell.strip().casefold()] for cell in cells])
    try:
        plain = table.decimal == "." and "_" not in "".join(cells)
        values = np.array(cells if plain else [table.number(cell) for cell in cells]).astype(np.float64)
    except ValueError:
        values = np.array([table.number(cell) for cell in cells])
    for i in np.flatnonzero(~np.isfinite(values))[:1]:
        why = table.ambiguous(cells[i]) or f"must be a number; got {shown(cells[i])}"
        raise InvalidExperiment([Problem(f"line {table.lines[i]}", f"{name} {why}")])
    return values
