"""The search: theory brackets ε for each range, a few runs find where the target is crossed, more decide.

A setting meets the target where a fresh run would, with 97.5 % confidence by its seeds' own spread, if it
were the only one that was looked at. The least of many that seem to do was lucky, too: so it is tried with as
many more seeds, and where all of them together are not sure any more, the search goes on above it. What is
told of the answer is of as many fresh seeds again, which had no part in the choice. They decide nothing, or
they would be part of it. All settings share their seeds, so they are paired. What is trained next follows
from what was found alone: a search that was killed goes on by being told what was stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import sqrt
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import stdtrit

from ldp_core.theory import outlook
from ldp_core.tuning.question import LOWEST, Question, rounded

CONFIDENCE = 0.975
FEW = 2
"""Seeds by which a setting is first looked at."""
RUNGS = 7
"""Budgets at which each range is first looked at."""
INSIDE = 3
"""Budgets that are tried at once between one that does and one that does not."""
HOPEFUL = 2.5
"""A range stays in the race whose crossing, as it looks at first, is at most so many times the best one's."""
MOST_RUNS = 1200


class Point(NamedTuple):
    """One run: a range, a budget (None: without noise) and a seed counted from the base's own."""

    half: float
    epsilon: float | None
    seed: int


Known = Mapping[Point, float]
"""The accuracy of each point that was trained; 0 of one that diverged."""


@dataclass(frozen=True)
class Tried:
    """One setting with all its seeds."""

    half: float
    epsilon: float
    mean: float
    sure: float
    """What a fresh run reaches with 97.5 % confidence, if no other setting was looked at."""
    meets: bool
    confirmed: bool = False
    """It was tried with as many seeds again as a setting is decided by at first."""


@dataclass(frozen=True)
class Answer:
    """What was found."""

    epsilon: float | None
    """The least; None where the target cannot be reached."""
    half: float | None
    above: float | None
    """The largest ε, at that range, that was seen not to do: the least lies above it."""
    mean: float | None
    """Accuracy at the answer, over seeds that the search had not seen; None before they are trained."""
    sure: float | None
    """What one more run reaches with 97.5 % confidence, by the same seeds."""
    why: str
    """In a sentence."""

    @classmethod
    def none(cls, why: str) -> Self:
        """Where there is none."""
        return cls(None, None, None, None, None, why)

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


def next_points(question: Question, known: Known) -> list[Point]:
    """What to train next; nothing where the answer is known and checked."""
    if wanted := _searched(question, known):
        return wanted
    chosen, _ = _chosen(question, known)
    if chosen is None:
        return []
    more = _confirming(question, chosen) if len(known) < MOST_RUNS else []
    return [point for point in more or _fresh(question, chosen) if point not in known]


def _searched(question: Question, known: Known) -> list[Point]:
    """What to train next to find the answer."""
    first = [Point(half, None, s) for half in question.ranges for s in range(FEW)]
    first += [Point(h, e, s) for h in question.ranges for e in ladder(question, h) for s in range(FEW)]
    if missing := [point for point in first if point not in known]:
        return missing
    if len(known) >= MOST_RUNS:
        return []
    wanted = [(h, e) for h in _race(question, known) for e in _wanted(question, known, h)]
    return [
        point
        for half, epsilon in wanted
        for s in range(question.seeds)
        if (point := Point(half, epsilon, s)) not in known
    ]


def _confirming(question: Question, chosen: Tried) -> list[Point]:
    """The runs by which a setting that seems to do is tried once more; none once it was."""
    return [] if chosen.confirmed else _of(chosen, range(question.seeds, 2 * question.seeds))


def _fresh(question: Question, chosen: Tried) -> list[Point]:
    """Runs that tell of the setting that was chosen, of seeds that nothing was decided by."""
    return _of(chosen, range(2 * question.seeds, 3 * question.seeds))


def _of(setting: Tried, seeds: Iterable[int]) -> list[Point]:
    return [Point(setting.half, setting.epsilon, seed) for seed in seeds]


@lru_cache(maxsize=256)
def ladder(question: Question, half: float) -> tuple[float, ...]:
    """The first budgets of a range: between what theory calls chance and what it calls learning, and a bit
    more on both sides; the largest that may be answered is among them.
    """
    most = question.most(half)
    grid = np.geomspace(min(LOWEST * 4, most / 4), most, 30)
    words = [outlook(question.experiment(half, float(e), 0)).word for e in grid]
    low = max((i for i, word in enumerate(words) if word == "chance"), default=0)
    high = min((i for i, word in enumerate(words) if word == "learns" and i > low), default=len(grid) - 1)
    ends = grid[low], min(most, grid[high] * 2)
    return tuple(sorted({*map(rounded, np.geomspace(*ends, RUNGS).tolist()), rounded(most)}))


def tried(question: Question, known: Known, half: float) -> list[Tried]:
    """The settings of a range that have all the seeds that decide, or the first half of them, by rising ε."""
    at: dict[float, list[float]] = {}
    decide = (p for p in known if p.half == half and p.epsilon is not None and p.seed < 2 * question.seeds)
    for point in sorted(decide):
        at.setdefault(point.epsilon or 0.0, []).append(known[point])
    found = []
    for epsilon, accuracies in at.items():
        confirmed = len(accuracies) == 2 * question.seeds
        if confirmed or len(accuracies) >= question.seeds:
            counted = accuracies if confirmed else accuracies[: question.seeds]
            sure = _sure(counted)
            mean = float(np.mean(counted))
            found.append(Tried(half, epsilon, mean, sure, sure >= question.accuracy, confirmed))
    return found


def bracket(found: Sequence[Tried]) -> tuple[Tried | None, Tried | None]:
    """The largest that does not meet the target, and the smallest above it that does."""
    fails = max((one for one in found if not one.meets), key=lambda one: one.epsilon, default=None)
    above = [one for one in found if one.meets and (fails is None or one.epsilon > fails.epsilon)]
    return fails, min(above, key=lambda one: one.epsilon, default=None)


def answer_of(question: Question, known: Known) -> Answer:
    """What can be said by now: the least ε of all ranges, or what stands in the way."""
    meets, fails = _chosen(question, known)
    if meets is None:
        return Answer.none(_in_the_way(question, known))
    above = fails.epsilon if fails else None
    why = f"the least that was found to do is ε {meets.epsilon:g} with a safe range of ±{meets.half:g}"
    why += f"; ε {above:g} is not sure to" if above else ""
    if cap := dict(question.caps).get(meets.half):
        why += f"; {leak_in_words(question, {meets.half: cap})}"
    fresh = [known[point] for point in _fresh(question, meets) if point in known]
    if len(fresh) < question.seeds:
        return Answer(meets.epsilon, meets.half, above, None, None, f"{why}; that is not checked yet")
    mean, sure = float(np.mean(fresh)), _sure(fresh)
    met = sum(accuracy >= question.accuracy for accuracy in fresh)
    why += (
        f". With {len(fresh)} fresh seeds, which had no part in that choice, it reaches {mean:.1%} on "
        f"average, and {question.accuracy:.1%} with {met} of them; one more run reaches at least "
        f"{max(0.0, sure):.1%} with 97.5 % confidence (by the spread of these seeds)"
    )
    return Answer(meets.epsilon, meets.half, above, mean, sure, why)


def _chosen(question: Question, known: Known) -> tuple[Tried | None, Tried | None]:
    """The least ε of all ranges that meets the target, and the largest of its range that does not."""
    found = (bracket(tried(question, known, half)) for half in question.ranges)
    sure = [(meets, fails) for fails, meets in found if meets]
    return min(sure, key=lambda pair: pair[0].epsilon, default=(None, None))


def _race(question: Question, known: Known) -> list[float]:
    """The ranges that may still have the least ε."""
    cross = {half: _crossing(question, known, half) for half in question.ranges}
    best = min((e for e in cross.values() if e is not None), default=None)
    if best is None:  # at least the one that came closest is looked at in earnest
        return [max(question.ranges, key=lambda half: _top(question, known, half))]
    sure = [bracket(tried(question, known, half))[1] for half in question.ranges]
    least = min((one.epsilon for one in sure if one), default=np.inf)
    kept = []
    for half, epsilon in cross.items():
        fails, _ = bracket(tried(question, known, half))
        beaten = fails is not None and fails.epsilon >= least
        if epsilon is not None and epsilon <= HOPEFUL * best and not beaten:
            kept.append(half)
    return kept


def _wanted(question: Question, known: Known, half: float) -> list[float]:
    """Budgets of a range to be tried in earnest next; none where its bracket is narrow."""
    fails, meets = bracket(tried(question, known, half))
    rungs = ladder(question, half)
    if meets is None:
        start = _crossing(question, known, half) or rungs[-1]
        above = [rung for rung in rungs if rung >= start and (fails is None or rung > fails.epsilon)]
        return above[:1]
    if fails is None:
        below = [rung for rung in rungs if rung < meets.epsilon]
        lower = below[-1] if below else rounded(meets.epsilon / 2)
        return [lower] if lower >= LOWEST else []
    if meets.epsilon <= question.precision * fails.epsilon * (1 + 1e-9):
        return []
    inner = np.geomspace(fails.epsilon, meets.epsilon, INSIDE + 2)[1:-1].tolist()
    return [e for e in map(rounded, inner) if fails.epsilon < e < meets.epsilon]


def _crossing(question: Question, known: Known, half: float) -> float | None:
    """The smallest rung from which on all look as if they met the target; None if the last does not."""
    found = None
    for rung in reversed(ladder(question, half)):
        if _first(known, half, rung) < question.accuracy:
            break
        found = rung
    return found


def _first(known: Known, half: float, epsilon: float | None) -> float:
    return float(np.mean([known[Point(half, epsilon, s)] for s in range(FEW)]))


def _top(question: Question, known: Known, half: float) -> float:
    return _first(known, half, rounded(question.most(half)))


def _in_the_way(question: Question, known: Known) -> str:
    """Why no range will do, from what was trained."""
    words = []
    for half in question.ranges:
        clean, most = _first(known, half, None), rounded(question.most(half))
        full = [one.mean for one in tried(question, known, half) if one.epsilon == most]
        top = full[0] if full else _first(known, half, most)
        if clean == 0:
            words.append(f"±{half:g} diverges even without noise (a smaller learning rate may help)")
        elif clean < question.accuracy:
            words.append(f"±{half:g} reaches only {clean:.1%} even without noise")
        else:
            words.append(f"±{half:g} reaches {top:.1%} at ε {most:g}")
    if question.run_budget is not None:
        most = max(question.most(half) for half in question.ranges)
        words.append(f"a run budget of {question.run_budget:g} allows no more than ε {most:g}")
    if question.caps:
        words.append(leak_in_words(question, dict(question.caps)))
    return f"{question.accuracy:.1%} cannot be reached surely: {'; '.join(words)}"


def leak_in_words(question: Question, caps: Mapping[float, float]) -> str:
    """What a limit on what an attacker picks has come to: the largest ε of each range."""
    ends = ", ".join(f"ε {most:g} with ±{half:g}" for half, most in caps.items())
    return (
        f"an attacker picks the right image, of ten, in at most {question.identification:.1%} of single "
        f"uploads (by the upper end of a 95 % interval) up to {ends}"
    )


def _sure(accuracies: Sequence[float]) -> float:
    """What one more run reaches with so much confidence, by Student's t."""
    n = len(accuracies)
    spread = float(np.std(accuracies, ddof=1)) * sqrt(1 + 1 / n)
    return float(np.mean(accuracies)) - float(stdtrit(n - 1, CONFIDENCE)) * spread
