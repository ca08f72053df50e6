"""Largest ε at which an attacker identifies images in at most a given share of uploads.

There is no formula: uploads are made of one of several images, and an attacker names the image.
Identification rises with ε, so a few values bracket the limit and more narrow the bracket. An interval of the
share decides on which side of the limit an ε lies; if it contains the limit, twice as many uploads are made,
up to `UPLOADS`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ldp_core.inference import wilson
from ldp_core.tuning.question import LOWEST, Cap, Question, rounded

COARSE = 7
"""Number of values of ε that are tried first."""
UPLOADS = 5000
"""Largest number of uploads per ε."""
SURE = 2.7
"""Half-width of an interval in standard errors; an ε is judged up to seven times, with twice as many uploads
each, and all intervals together err on one side in at most one of 40 cases.
"""
LOWER = 8
"""Factor by which a smaller ε is tried if the smallest one exceeds the limit."""


class Leak(NamedTuple):
    """Identification result for a range and an ε, in one batch of uploads or in all."""

    half: float
    epsilon: float
    picked: float
    """Number of identified uploads; a tie of k candidates counts 1/k."""
    made: int
    blocks: int
    """Number of clients, or repetitions, whose images the uploads were made of."""

    @property
    def share(self) -> float:
        """Share of uploads whose image was identified."""
        return self.picked / self.made

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson interval of the share, widened so that repeated looks do not raise its error rate."""
        return wilson(self.picked, self.made, SURE)


def leaks_of(events: Iterable[Mapping[str, Any]]) -> list[Leak]:
    found = (one for one in events if one["event"] == "leak" and "blocks" in one)
    return [Leak(*(one[name] for name in Leak._fields)) for one in found]


def pooled(known: Iterable[Leak], half: float) -> list[Leak]:
    """Results of a range with all batches of each ε added up, by rising ε."""
    found: dict[float, Leak] = {}
    for one in known:
        if one.half == half:
            old = found.get(one.epsilon, Leak(half, one.epsilon, 0.0, 0, 0))
            sums = (a + b for a, b in zip(old[2:], one[2:], strict=True))
            found[one.epsilon] = Leak(half, one.epsilon, *sums)  # type: ignore[arg-type]
    return [found[epsilon] for epsilon in sorted(found)]


def next_uploads(question: Question, known: Iterable[Leak], half: float) -> dict[float, range]:
    """Values of ε of a range to attack next, with the numbers of the batches; empty if the limit is bracketed
    closely enough, or `UPLOADS` are used up.
    """
    ours = pooled(known, half)
    last = question.affordable[half]
    first = [rounded(e) for e in np.geomspace(min(LOWEST, last / 2), last, COARSE)]
    if missing := set(first).difference(one.epsilon for one in ours):
        return dict.fromkeys(sorted(missing), range(1))
    most, above = _around(question, ours)
    if above is None:
        return {}
    if _word(question, above) == "open" and 2 * above.made <= UPLOADS:
        return {above.epsilon: range(above.blocks, 2 * above.blocks)}
    if most and above.epsilon <= most * question.precision * (1 + 1e-9):
        return {}
    if most is None:
        lower = max(LOWEST, rounded(above.epsilon / LOWER))
        return {lower: range(1)} if lower < above.epsilon else {}
    middle = rounded(float(np.sqrt(most * above.epsilon)))
    return {middle: range(1)} if most < middle < above.epsilon else {}


def cap(question: Question, known: Iterable[Leak], half: float) -> Cap:
    """Largest ε that a limit on identification allows for a range, given the results so far."""
    ours = pooled(known, half)
    most, above = _around(question, ours)
    return (
        Cap(half, most) if above is None else Cap(half, most, above.epsilon, _word(question, above) == "open")
    )


def bounded(question: Question, known: Iterable[Leak]) -> Question:
    """The question with the limits found, without ranges for which no ε is allowed."""
    if question.identification is None:
        return question
    known = list(known)
    caps = tuple(cap(question, known, half) for half in question.ranges)
    return replace(question, ranges=tuple(one.half for one in caps if one.most), caps=caps)


def _around(question: Question, ours: Iterable[Leak]) -> tuple[float | None, Leak | None]:
    """The largest ε surely within the limit, below all that surely exceed it, and the next tried above."""
    below = list[Leak]()
    for one in ours:
        below.append(one)
        if _word(question, one) == "more":
            break
    places = [i for i, one in enumerate(below) if _word(question, one) == "less"]
    most, after = (below[places[-1]].epsilon, below[places[-1] + 1 :]) if places else (None, below)
    return most, next(iter(after), None)


def _word(question: Question, one: Leak) -> str:
    low, high = one.interval
    limit = question.identification or 1.0
    return "less" if high <= limit else "more" if low > limit else "open"
