"""Sets of outputs that distinguish two inputs, chosen on some trials for counting on others.

An output is a vector per round, so sets are defined by scalar statistics: one value, its last digits, a
value's change between rounds, the best linear discriminant, the largest magnitude. Each statistic's range is
cut at quantiles, finer in the tails, and the pieces are joined by likelihood ratio (Neyman and Pearson).
Beside them stand sets of exact values, each of which came more than once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.limits import number, spelled
from ldp_core.mechanisms.base import Floats

NUMBERS = 24
"""Number of single output values that are tried as statistics: those that differ most."""
PIECES = 64
TAIL = 8
"""Least number of trials in the outermost interval of a statistic."""
LEAST = 1e-300
EXACT = 10_000
"""Number of exact values that are tried, the most frequent ones."""
DIGITS = range(13)
"""Decimal places whose digits and those after them are tried as a statistic."""
DIGITED = 4
"""Number of single output values whose last digits and exact values are tried."""
CHOSEN = 2.0
"""Standard errors subtracted from shares that had no part in choosing a set."""
SURE = 4.0
"""Standard errors subtracted from a set's shares, as the best of many sets is best by luck too."""


@dataclass(frozen=True)
class OutputStatistic:
    """A scalar statistic of an output."""

    words: str
    of: Callable[[Floats], Floats]
    """Function from outputs (n, rounds, coordinates) to values (n,)."""


@dataclass(frozen=True)
class OutputSet:
    """A set of outputs: those whose statistic lies in certain intervals."""

    number: OutputStatistic
    edges: Floats
    inside: NDArray[np.bool_]
    """Which intervals belong to the set: below the first edge, between two edges, from the last edge on."""
    score: float
    """Expected ln(P/Q)."""
    words: str = ""
    """The set in words, where its intervals are none to speak of."""

    def count(self, answers: Floats) -> int:
        return int(self.inside[np.searchsorted(self.edges, self.number.of(answers), side="right")].sum())

    def __str__(self) -> str:
        if self.words:
            return self.words
        start, *steps = np.flatnonzero(np.diff(self.inside.astype(int)))
        if steps:
            return f"{self.number.words} in one of {spelled(len(steps) // 2 + 1)} intervals"
        return (
            f"{self.number.words} {'below' if self.inside[0] else 'at least'} {number(self.edges[start], 4)}"
        )


def best_event(likely: Floats, other: Floats, delta: float) -> OutputSet | None:
    """Set of outputs with the largest expected lower bound on ε, from outputs (n, rounds, coordinates) for
    the input that it shall be likelier for, and for the other.
    """
    numbers = list(_numbers(likely, other))
    found = [_cut(number, likely, other, delta) for number in numbers]
    for value in numbers[: min(DIGITED, likely[0].size)]:
        for place in DIGITS:
            found.append(_cut(_digits(value, place), likely, other, delta))
        found.append(_exact(value, likely, other, delta))
    return max((one for one in found if one), key=lambda one: one.score, default=None)


def _numbers(likely: Floats, other: Floats) -> Iterator[OutputStatistic]:
    rounds, coordinates = likely.shape[1:]
    yield from _values("value", "", likely, other, lambda y: y)
    if rounds > 1:
        yield from _values("change", " to the next round", likely, other, lambda y: np.diff(y, axis=1))
    if rounds * coordinates > 1:
        spread = likely.var(axis=0) + other.var(axis=0)
        shift = likely.mean(axis=0) - other.mean(axis=0)
        along = shift / np.where(spread > 0, spread, np.min(spread[spread > 0], initial=1.0))
        yield OutputStatistic("the weighted sum of all values", lambda y: np.einsum("nrc,rc->n", y, along))
        yield OutputStatistic("the largest magnitude", lambda y: np.abs(y).max(axis=(1, 2)))
        yield OutputStatistic("the sum of all magnitudes", lambda y: np.abs(y).sum(axis=(1, 2)))


def _values(
    what: str, then: str, likely: Floats, other: Floats, of: Callable[[Floats], Floats]
) -> Iterator[OutputStatistic]:
    one, two = of(likely), of(other)
    rounds, coordinates = one.shape[1:]
    scale = np.sqrt(one.var(axis=0) + two.var(axis=0))
    moved = np.abs(one.mean(axis=0) - two.mean(axis=0)) + np.abs(one.std(axis=0) - two.std(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.nan_to_num(moved / scale, nan=0.0, posinf=np.inf)
    for place in np.argsort(-apart, axis=None, kind="stable")[:NUMBERS]:
        r, c = np.unravel_index(place, apart.shape)
        which = f" of coordinate {c + 1}" if coordinates > 1 else ""
        which += f" in round {r + 1}" if rounds > 1 or then > "" else ""
        yield OutputStatistic(f"the {what}{which}{then}", lambda y, r=r, c=c: of(y)[:, r, c])  # type: ignore[misc]


def _digits(value: OutputStatistic, place: int) -> OutputStatistic:
    """What is left of a value's decimal places from this one on, and whether the digit before is odd."""
    words = f"the digits of {value.words} from decimal place {place + 1} on"
    return OutputStatistic(words, lambda y: (value.of(y) * (10.0**place / 2) + 0.25) % 1)


def _exact(value: OutputStatistic, likely: Floats, other: Floats, delta: float) -> OutputSet | None:
    """Set of exact values: chosen on every second trial, among those that came more than once, and scored on
    the others, as a value that came by chance would count for the input that it came from.
    """
    (one, fresh), (two, against) = ((x[::2], x[1::2]) for x in (value.of(likely), value.of(other)))
    came, times = np.unique(np.concatenate([one, two]), return_counts=True)
    known = np.sort(came[times > 1][np.argsort(-times[times > 1], kind="stable")[:EXACT]])
    if not len(known):
        return None

    def place(x: Floats) -> Floats:
        """Twice the place of a known value, else the number beside it."""
        at = np.searchsorted(known, x)
        return 2.0 * at + (known[np.minimum(at, len(known) - 1)] == x)

    number = OutputStatistic(value.words, lambda y: place(value.of(y)))
    count = 2 * len(known) + 1
    hits, false = (np.bincount(place(x).astype(int), minlength=count) for x in (one, two))
    hits[::2], false[::2] = hits[::2].sum(), false[::2].sum()  # every value that is not known is one piece
    pieces = np.append(np.arange(1, count, 2), 0)
    order = pieces[np.argsort(-(hits[pieces] + 0.5) / (false[pieces] + 0.5), kind="stable")]
    rank = np.empty(count, int)
    rank[order] = np.arange(len(order))
    rank[::2] = rank[0]
    p, q = (
        np.cumsum(np.bincount(rank[place(x).astype(int)], minlength=len(order))) / len(x)
        for x in (fresh, against)
    )
    # counted later in twice as many trials; no luck of the choice is in these shares
    lower, upper = wilson(p, 2 * len(fresh), -CHOSEN) - delta, wilson(q, 2 * len(against), CHOSEN)
    scores = (np.log(np.maximum(lower, LEAST)) - np.log(upper))[:-1]
    if not len(scores):
        return None
    most = int(np.argmax(scores))
    inside = rank <= most
    among, which = ("none", known[~inside[1::2]]) if inside[0] else ("one", known[inside[1::2]])
    words = f"{value.words} is {among} of {spelled(len(which))} exact ones"
    if len(which) == 1:
        words = f"{value.words} is {'not ' if inside[0] else ''}{which[0]:.17g}"
    edges: Floats = np.arange(1.0, count) - 0.5
    return OutputSet(number, edges, inside, float(scores[most]), words)


def _cut(number: OutputStatistic, likely: Floats, other: Floats, delta: float) -> OutputSet | None:
    one, two = number.of(likely), number.of(other)
    line = np.sort(np.concatenate([one, two]))
    tails = TAIL * 2.0 ** np.arange(max(1, int(np.log2(len(line) / PIECES / TAIL + 1)) + 1))
    cuts = np.concatenate([tails, np.linspace(0, len(line) - 1, PIECES + 1), len(line) - tails])
    edges = np.unique(line[np.clip(cuts, 0, len(line) - 1).astype(int)])
    if len(edges) < 2:
        return None
    # between two answers that came, so that no rounding moves an answer over an edge
    before = line[np.searchsorted(line, edges[1:], side="left") - 1]
    edges = (edges[1:] + before) / 2
    count = len(edges) + 1
    hits, false = (np.bincount(np.searchsorted(edges, x, side="right"), minlength=count) for x in (one, two))
    order = np.argsort(-(hits + 0.5) / (false + 0.5), kind="stable")
    p, q = np.cumsum(hits[order]) / len(one), np.cumsum(false[order]) / len(two)
    lower, upper = wilson(p, len(one), -SURE) - delta, wilson(q, len(two), SURE)
    scores = (np.log(np.maximum(lower, LEAST)) - np.log(upper))[:-1]
    most = int(np.argmax(scores))
    inside = np.zeros(count, dtype=bool)
    inside[order[: most + 1]] = True
    return OutputSet(number, edges, inside, float(scores[most]))


def wilson(share: Floats, runs: int | NDArray[Any], z: float) -> Floats:
    """Lower (z < 0) or upper end of Wilson's interval."""
    middle = share + z * z / (2 * runs)
    reach = z * np.sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs))
    return np.clip((middle + reach) / (1 + z * z / runs), 0.0, 1.0)
