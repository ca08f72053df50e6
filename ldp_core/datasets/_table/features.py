"""Conversion of a table's input columns to numbers between 0 and 1."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets._table.card import Card, Scale
from ldp_core.errors import InvalidInput, shown
from ldp_core.limits import spelled
from ldp_core.tables import Table, is_gap, is_no_number

MOST_VALUES = 100
MIDDLE = 0.5
"""Scaled value of a missing number."""
NUMBERS = 0.9
"""Share of numbers among a column's distinct values from which on it is numeric."""
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Feature:
    """An input column: a number scaled to [0, 1], or a 0-or-1 number for each value of a category."""

    heading: str
    place: int
    scale: Scale
    stated: bool
    missing: int = 0
    outside: int = 0
    """Number of rows with a number outside the scale, which is clipped, or an unlisted category."""

    @property
    def number(self) -> bool:
        return not isinstance(self.scale[0], str)

    @property
    def width(self) -> int:
        return 1 if self.number else len(self.scale)

    def of(self, cells: Sequence[str], table: Table) -> NDArray[np.float32]:
        kinds = list(dict.fromkeys(cells))
        where = {cell: i for i, cell in enumerate(kinds)}
        found = np.zeros((len(kinds), self.width), np.float32)
        if self.number:
            low, high = map(float, self.scale)
            values = np.array([table.number(cell) for cell in kinds])
            scaled = np.where(np.isfinite(values), (values - low) / (high - low), MIDDLE)
            found[:, 0] = np.clip(scaled, 0, 1)
        else:
            for i, value in enumerate(self.scale):
                if (at := where.get(str(value))) is not None:
                    found[at, i] = 1
        return found[[where[cell] for cell in cells]]


def columns(table: Table) -> list[list[str]]:
    """Cells of each column, without surrounding spaces."""
    width = len(table.headings)
    rows = [row if len(row) == width else row + [""] * (width - len(row)) for row in table.rows]
    return [[cell.strip() for cell in column] for column in zip(*rows, strict=True)] or [[]] * width


def features_of(
    table: Table, cells: list[list[str]], card: Card, taken: set[int], notes: list[str]
) -> Iterator[Feature]:
    for i, (heading, column) in enumerate(zip(table.headings, cells, strict=True)):
        if i in taken or heading in card.leave_out:
            continue
        kinds = Counter(column)
        filled = [cell for cell in kinds if not (is_gap(cell) or is_no_number(cell))]
        stated = card.scales.get(heading)
        if stated and isinstance(stated[0], str):
            known = {str(one) for one in stated}
            outside = sum(kinds[cell] for cell in kinds if cell not in known and not is_gap(cell))
            gaps = sum(count for cell, count in kinds.items() if cell not in known and is_gap(cell))
            yield _noted(Feature(heading, i, stated, True, gaps, outside), notes)
            continue
        values = {cell: table.number(cell) for cell in filled}
        numbers = [value for value in values.values() if math.isfinite(value)]
        two = {cell: why for cell in filled if (why := table.ambiguous(cell))}
        if two and len(numbers) + len(two) >= NUMBERS * len(filled):
            place = next(n for n, cell in enumerate(column) if cell in two)
            raise InvalidInput(
                f"holds a number in line {table.lines[place]}, column {shown(heading)}, that "
                f"{two[column[place]]}"
            )
        if stated or (numbers and len(numbers) >= NUMBERS * len(filled)):
            if not stated and len(set(numbers)) == 1:
                notes.append(f"“{heading}” is left out: it holds one value alone")
                continue
            low, high = map(float, stated) if stated else (min(numbers), max(numbers))
            if not math.isfinite(high - low):
                raise InvalidInput(f"holds numbers in {shown(heading)} that are too large")
            missing = sum(
                count for cell, count in kinds.items() if not math.isfinite(values.get(cell, math.nan))
            )
            outside = sum(kinds[cell] for cell, value in values.items() if value < low or value > high)
            yield _noted(Feature(heading, i, (low, high), bool(stated), missing, outside), notes)
        elif len(filled) < 2:
            notes.append(f"“{heading}” is left out: it holds {'one value alone' if filled else 'nothing'}")
        elif len(filled) > MOST_VALUES:
            notes.append(
                f"“{heading}” is left out: {spelled(len(filled))} different texts, and a category "
                f"has at most {MOST_VALUES}"
            )
        else:
            gaps = sum(count for cell, count in kinds.items() if cell not in values)
            yield _noted(Feature(heading, i, tuple(sorted(filled)), False, gaps), notes)


def _noted(one: Feature, notes: list[str]) -> Feature:
    if one.missing:
        rule = "the middle of its scale" if one.number else "none of its values"
        rows = f"{spelled(one.missing)} row{'s' * (one.missing > 1)}"
        notes.append(f"“{one.heading}” is missing in {rows}, counted as {rule}")
    if one.outside:
        rule = (
            "beyond its scale, and is clipped" if one.number else "not among its values, and counts as none"
        )
        notes.append(f"“{one.heading}” is {rule} in {spelled(one.outside)} rows")
    return one


def learnt_from(features: Sequence[Feature]) -> str:
    guessed = [one.heading for one in features if not one.stated]
    if not guessed:
        return ""
    return (
        f"the least and the most, or the values, of {shown(', '.join(guessed), 120)} over all rows, which "
        "scale everybody's (those that a card states in advance tell nothing)"
    )
