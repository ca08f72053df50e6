"""Columns of a table: what their cells are, and their conversion to numbers between 0 and 1."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets._data_card import Card, Scale, Seen
from ldp_core.errors import InvalidInput, shown
from ldp_core.limits import spelled
from ldp_core.tables import Heading, bare, is_gap, is_no_number, value, words

MOST_VALUES = 100
MIDDLE = 0.5
"""Scaled value of a missing number."""
NUMBERS = 0.9
"""Share of numbers among a column's distinct values from which on it is numeric."""
FREQUENT = 0.05
"""Share of rows from which on None and the like count as a value of a text column, until that is answered."""
FEW = 10
"""Number of rows below which it says nothing that all are different."""
PERSONS = Heading.of(
    "client user person individual respondent participant patient subject customer member account employee "
    "household owner device institution inst center centre clinic hospital site school shop store branch "
    "kunde kunden nutzer cliente usuario paciente 客户 用户 患者",
    "id ids no nr nbr number name # code key uuid",
)
IDS = {"id", "ids", "nbr", "uuid", "guid"}
COUNTERS = IDS | {"index", "idx", "rn", "row", "rowid", "no", "nr", "number", "#"}
SIGNS = "%$€£¥()"
Integers = NDArray[np.int64]


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

    def of(self, cells: Sequence[str], decimal: str) -> NDArray[np.float32]:
        kinds = list(dict.fromkeys(cells))
        where = {cell: i for i, cell in enumerate(kinds)}
        found = np.zeros((len(kinds), self.width), np.float32)
        if self.number:
            low, high = map(float, self.scale)
            values = np.array([value(bare(cell), decimal) for cell in kinds])
            scaled = np.where(np.isfinite(values), (values - low) / (high - low), MIDDLE)
            found[:, 0] = np.clip(scaled, 0, 1)
        else:
            for i, one in enumerate(self.scale):
                if (at := where.get(str(one))) is not None:
                    found[at, i] = 1
        return found[[where[cell] for cell in cells]]


@dataclass(frozen=True, eq=False)
class Column:
    heading: str
    place: int
    cells: list[str]
    """Without surrounding spaces."""
    decimal: str
    card: Card

    @cached_property
    def kinds(self) -> Counter[str]:
        return Counter(self.cells)

    @cached_property
    def marked(self) -> list[str]:
        """Words such as None and NA, which a text column may have as values."""
        return [cell for cell in self.kinds if is_gap(cell) and any(map(str.isalpha, cell))]

    @cached_property
    def numbers(self) -> dict[str, float]:
        """Finite numbers by cell; none unless the column is numeric."""
        stated = self.card.scales.get(self.heading)
        if stated and isinstance(stated[0], str):
            return {}
        filled = [cell for cell in self.kinds if not (is_gap(cell) or cell == "?" or is_no_number(cell))]
        found = {cell: value(bare(cell), self.decimal) for cell in filled}
        found = {cell: one for cell, one in found.items() if math.isfinite(one)}
        return found if stated or (found and len(found) >= NUMBERS * len(filled)) else {}

    @cached_property
    def doubtful(self) -> bool:
        """Whether the file leaves open that None and the like are values."""
        stated = self.heading in self.card.gaps or self.heading in self.card.scales
        return bool(self.marked and not self.numbers and not stated and len(self.kinds) > len(self.marked))

    @cached_property
    def holds(self) -> bool:
        """Whether None and the like are values here, as stated or as it seems."""
        if self.numbers:
            return False
        seems = sum(self.kinds[cell] for cell in self.marked) >= FREQUENT * len(self.cells)
        return not self.card.gaps.get(self.heading, not seems) or self.heading in self.card.scales

    def gap(self, cell: str) -> bool:
        return (
            cell == "?" or (is_gap(cell) and not (self.holds and cell in self.marked)) or is_no_number(cell)
        )

    @cached_property
    def values(self) -> list[str]:
        return [cell for cell in self.kinds if not self.gap(cell)]

    @cached_property
    def names(self) -> bool:
        """Whether it names persons or things, by its heading."""
        return PERSONS.fits(self.heading) or bool(words(self.heading) & IDS)

    @cached_property
    def repeats(self) -> bool:
        return 2 <= len(self.values) <= len(self.cells) // 2

    def apart(self) -> str:
        """Why the column is left out without being asked about; "" if it is not."""
        count = len(self.cells)
        if self.heading in self.card.leave_out:
            return "as the card says"
        if self.heading in self.card.scales:
            return ""
        if len(self.values) < 2:
            return "one value alone, or nothing"
        if len(self.kinds) == count >= FEW:
            ordered = [*self.numbers.values()]
            whole = bool(ordered) and all(one == math.floor(one) for one in ordered)
            if whole and (
                ordered in (sorted(ordered), sorted(ordered)[::-1]) or words(self.heading) & COUNTERS
            ):
                return "it counts or names rows"
            if not self.numbers:
                return "another text in each row"
        if not self.numbers and len(self.values) > MOST_VALUES:
            return f"more than {MOST_VALUES} different texts"
        if not self.numbers and len(self.values) > count // 2 >= FEW:
            return "another text in most rows"
        return "numbers of persons or things" if self.names and self.numbers else ""

    def feature(self, train: Integers, kept: Integers) -> Feature | None:
        """Scaled by the card, or else by the rows that train; None if these hold one value alone."""
        stated = self.card.scales.get(self.heading)
        learnt = Counter(self.cells[i] for i in train)
        known = Counter(self.cells[i] for i in kept)
        if self.numbers:
            values = [self.numbers[cell] for cell in learnt if cell in self.numbers]
            if not stated and len(set(values)) < 2:
                return None
            low, high = map(float, stated) if stated else (min(values), max(values))
            if not math.isfinite(high - low):
                raise InvalidInput(f"holds numbers in {shown(self.heading)} that are too large")
            missing = sum(count for cell, count in known.items() if cell not in self.numbers)
            inside = {cell for cell, one in self.numbers.items() if low <= one <= high}
            outside = sum(
                count for cell, count in known.items() if cell in self.numbers and cell not in inside
            )
            return Feature(self.heading, self.place, (low, high), bool(stated), missing, outside)
        scale = stated or tuple(sorted(cell for cell in learnt if not self.gap(cell)))
        if len(scale) < 2 and not stated:
            return None
        gaps = sum(count for cell, count in known.items() if cell not in scale and self.gap(cell))
        outside = sum(count for cell, count in known.items() if cell not in scale and not self.gap(cell))
        return Feature(self.heading, self.place, scale, bool(stated), gaps, outside)


def features_of(columns: Sequence[Column], train: Integers, kept: Integers, seen: Seen) -> Iterator[Feature]:
    away: dict[str, list[str]] = {}
    for column in columns:
        if why := column.apart():
            away.setdefault(why, []).append(column.heading)
        elif one := column.feature(train, kept):
            yield one
            seen.notes += _noted(one)
        else:
            away.setdefault("one value alone in the rows that train", []).append(column.heading)
    seen.notes += [f"left out ({why}): {_listed(those)}" for why, those in away.items()]
    signs = [one.heading for one in columns if any(cell.strip(SIGNS) != cell for cell in one.numbers)]
    if signs:
        seen.notes.append(f"numbers are read without their sign of per cent or currency: {_listed(signs)}")


def _listed(headings: Sequence[str]) -> str:
    more = f" and {spelled(len(headings) - 12)} more" if len(headings) > 12 else ""
    return ", ".join(f"“{one}”" for one in headings[:12]) + more


def _noted(one: Feature) -> Iterator[str]:
    odd = [] if one.number else [cell for cell in one.scale if not math.isfinite(value(str(cell), "."))]
    if 0 < len(odd) < len(one.scale) // 2:
        yield f"“{one.heading}” is read as a category, as {_listed(list(map(str, odd)))} are no numbers"
    if one.missing:
        rule = "the middle of its scale" if one.number else "none of its values"
        rows = f"{spelled(one.missing)} row{'s' if one.missing > 1 else ''}"
        yield f"“{one.heading}” is missing in {rows}, counted as {rule}"
    if one.outside:
        rule = (
            "beyond its scale, and is clipped" if one.number else "not among its values, and counts as none"
        )
        yield f"“{one.heading}” is {rule} in {spelled(one.outside)} row{'s' if one.outside > 1 else ''}"


def learnt_from(features: Sequence[Feature]) -> str:
    guessed = [one.heading for one in features if not one.stated]
    if not guessed:
        return ""
    return (
        f"the least and the most, or the values, of {shown(', '.join(guessed), 120)} over the rows that "
        "train, which scale everybody's (those that a card states in advance tell nothing)"
    )
