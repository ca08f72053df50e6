"""How large an ε may be, so that an attacker picks the right image in no more than so many uploads.

There is no formula: uploads are made of one of several images each, and whoever sees them says of which.
The more ε, the surer; so a few budgets bracket the limit, and more between them narrow it. What counts is the
upper end of the share's 95 % interval: a few uploads must be far below the limit, many may come close.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ldp_core.errors import InvalidInput
from ldp_core.limits import LADDER_EPSILON
from ldp_core.tuning.question import HIGHEST, Question, rounded

COARSE = 12
"""Budgets that are tried at first."""
INSIDE = 6
"""Budgets that are tried at once between one that leaks no more than is allowed and one that does."""


class Leak(NamedTuple):
    """What came of one range and budget."""

    half: float
    epsilon: float
    share: float
    """Of the uploads, those of which the right image was picked."""
    high: float
    """The upper end of its 95 % interval."""


def leaks_of(events: Iterable[Mapping[str, Any]]) -> list[Leak]:
    """Those that events tell of."""
    return [
        Leak(one["half"], one["epsilon"], one["share"], one["high"])
        for one in events
        if one["event"] == "leak"
    ]


def next_rungs(question: Question, known: Iterable[Leak], half: float) -> list[float]:
    """The budgets of a range to be tried next; none where the limit is known closely enough."""
    known = [one for one in known if one.half == half]
    if not known:
        return [rounded(e) for e in np.geomspace(2 * LADDER_EPSILON.minimum, HIGHEST, COARSE)]
    least, most = allowed(question, known, half), _too_much(question, known)
    if least is None or most is None or most <= least * question.precision * (1 + 1e-9):
        return []
    inner = {rounded(e) for e in np.geomspace(least, most, INSIDE + 2)[1:-1]}
    return sorted(e for e in inner if least < e < most)


def allowed(question: Question, known: Iterable[Leak], half: float) -> float | None:
    """The largest budget of a range that was tried and leaks no more than is allowed, like all below it; None
    if not even the smallest does.
    """
    ours = [one for one in known if one.half == half]
    most = _too_much(question, ours)
    below = [one.epsilon for one in ours if most is None or one.epsilon < most]
    return max(below, default=None)


def bounded(question: Question, known: Iterable[Leak]) -> Question:
    """The question within what was found to leak: ranges of which nothing is allowed are left out.

    Raises:
        InvalidInput: nothing is allowed of any range.
    """
    if question.identification is None:
        return question
    known = list(known)
    found = {half: allowed(question, known, half) for half in question.ranges}
    caps = tuple((half, most) for half, most in found.items() if most is not None)
    if not caps:
        raise InvalidInput(
            f"with every range an attacker picks more than {question.identification:.1%} even at ε "
            f"{min(one.epsilon for one in known):g}, or too few images are there to tell"
        )
    return replace(question, ranges=tuple(half for half, _ in caps), caps=caps)


def _too_much(question: Question, known: Iterable[Leak]) -> float | None:
    over = [one.epsilon for one in known if one.high > (question.identification or 1.0)]
    return min(over, default=None)
