"""What the five side by side show, in a few sentences: which are ahead, and where that cannot be told."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from ldp_core import datasets
from ldp_core.paired import difference, margin
from ldp_core.papers.side_by_side import CHANCE, CONTROL, Point
from ldp_core.presets.of_systems.five_side_by_side import BASE, PD

HELD = 1_000.0
"""The price at which the control is told."""
HELD_OUT = datasets.get(str(BASE["dataset"])).test_size
FEW = 0.25
"""Of images that are picked out."""
MOST_NAMED = 5
"""Of more that cannot be told apart, only the first is named."""


def finding(found: tuple[Point, ...]) -> str:
    """What the points show, in a few sentences; "" where there are none."""
    every, found = found, tuple(one for one in found if one.label != CONTROL)
    if not found:
        return ""
    leaders = _leaders(found)
    said = (
        f"Of all runs, {_best(leaders)}; there the server picks out "
        f"{_span([one.leaked for one in leaders])} of the images that single uploads were made of "
        f"(guessing: {100 * CHANCE:.0f} %)."
    )
    few = _leaders([one for one in found if one.leaked <= FEW])
    hidden = [one.accuracy.mean for one in found if one.hidden]
    if not few or few == leaders:
        return f"{said}{_control(every)}"
    told = _best(few)
    if hidden:
        told += f"; where picking cannot be told from guessing, none gets more than {max(hidden):.0f} % right"
    few_leak = f"Among runs in which at most one image in four is picked out, {told}."
    return f"{said} {few_leak}{_control(every)}"


def in_short(found: tuple[Point, ...]) -> str:
    """The same in one sentence: how accurate a run gets at most, the more of the images are picked out."""
    runs = [one for one in found if one.label != CONTROL]
    hidden = [one.accuracy.mean for one in runs if one.hidden]
    few = [one.accuracy.mean for one in runs if one.leaked <= FEW]
    if not runs or not hidden or not few:
        return ""
    best = max(runs, key=lambda one: one.accuracy.mean)
    return (
        f"At most {max(hidden):.0f} % accurate where picking cannot be told from guessing, {max(few):.0f} % "
        f"where at most one image in four is picked out, {best.accuracy.mean:.0f} % where "
        f"{100 * best.leaked:.0f} % of them are."
    )


def _leaders(found: Sequence[Point]) -> list[Point]:
    """The most accurate, and after it those that it is not clearly ahead of."""
    ranked = sorted(found, key=lambda one: one.accuracy.mean, reverse=True)
    return [one for one in ranked if not _ahead(ranked[0], one)]


def _ahead(one: Point, other: Point) -> bool:
    """Whether a point is clearly the more accurate: over their common seeds, and for other held-out samples,
    whose error is taken as if the two had been scored on different ones.

    Each interval holds for 95 %. That the best is clearly ahead of all is then said wrongly at most once in
    20 times: most often where two are equally good, as among more of them the second is closer.
    """
    mine, theirs = ({f.seed: f.value or 0.0 for f in point.figures} for point in (one, other))
    seeds = sorted(mine.keys() & theirs.keys())
    if len(seeds) < 2:
        return False
    gap = difference([mine[seed] for seed in seeds], [theirs[seed] for seed in seeds])
    samples = [margin(point.accuracy.mean / 100, HELD_OUT) for point in (one, other)]
    return gap.mean > hypot(gap.half, *samples)


def _best(leaders: Sequence[Point]) -> str:
    """Which is the most accurate, or which ones cannot be told from it."""
    first, *others = leaders
    if not others:
        return f"the most accurate is {first.words}: {first.accuracy.mean:.0f} %"
    named = [f"{one.words} ({one.accuracy.mean:.0f} %)" for one in leaders]
    rest = named[1:] if len(named) <= MOST_NAMED else [f"{len(others)} others"]
    seeds = "one seed" if first.accuracy.seeds == 1 else f"{first.accuracy.seeds} seeds"
    return (
        f"none is clearly the most accurate: {seeds} and {HELD_OUT} test images cannot tell {named[0]} "
        f"from {' or '.join(rest)}"
    )


def _span(shares: Sequence[float]) -> str:
    ends = [f"{100 * share:.0f}" for share in (min(shares), max(shares))]
    return f"{ends[0]} %" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]} %"


def _control(found: tuple[Point, ...]) -> str:
    """How much of PD-LDPFL's leak is its mechanism's, at one price."""
    own, other = (
        next((one for one in found if (one.label, one.run) == (label, HELD)), None) for label in (PD, CONTROL)
    )
    if own is None or other is None:
        return ""
    return (
        f" The mechanism's part in it: {own.words} gives away {100 * own.leaked:.0f} % of images at "
        f"{own.accuracy.mean:.0f} % accuracy; with PDPM in place of Piecewise "
        f"{100 * other.leaked:.0f} % at {other.accuracy.mean:.0f} %."
    )
