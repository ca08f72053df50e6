"""The search that Ask and *Find the least ε* share: all designs are tried, the best are trained with fresh
seeds.

Under a promise the best design is sought; for an accuracy, the least ε at which a further run of the best
design reaches it with 97.5 % confidence. Designs are tried by two runs each, or where these are dear by a
short trial of the aggregate (`ldp_core.pilot`). The seeds that choose a design are never those that report
it. Each look at an ε by fresh seeds spends a part of the error, so that the search may stop at the first that
suffices. All designs share their seeds, so they are paired; what is trained next depends on results only, so
a killed search resumes from the store.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import NamedTuple

import numpy as np

from ldp_core.experiment import Experiment, changed
from ldp_core.inference.interval import (
    MISSED,
    Deviation,
    deviation,
    further_run,
    most_runs,
    nine_of_ten,
    spent,
)
from ldp_core.tuning.needs import Needs
from ldp_core.tuning.question import Question, plain

TRIAL = -1
"""Seed of a trial of the aggregate, which counts down for its further replicas."""
REPLICAS = 4
"""Largest number of these."""
SCREENED = range(2)
CHOOSING = range(2, 5)
"""Seeds by which one of the `BEST` designs of the screening is chosen."""
EXPECTED = range(2, 4)
"""Seeds that give the expected accuracy of the design that the screening found best."""
FIRST = 5
"""First of the fresh seeds, which choose no design."""
DOUBLED = 1
"""How often their number is doubled where it is open whether the largest ε suffices."""
BEST = 3
COARSE = 4
"""Step among values of ε until two neighbours are known."""
MANY = 1000
"""Degrees of freedom at which a spread counts as known."""
UNSURE = 0.04
"""Standard deviation of what two runs of a design do not show, as a share (`reference/pilot.md`)."""


class DesignRun(NamedTuple):
    """One run: the question (0 is the visitor's), design, ε, and seed relative to the question's; a negative
    design is one without noise, a negative seed a replica of a trial.
    """

    question: int
    design: int
    epsilon: float
    seed: int


KnownAccuracies = Mapping[DesignRun, float]
"""Final accuracy by trained point; 0 for a run that did not complete, NaN where no trial can be had."""


@dataclass(frozen=True)
class BestDesign:
    """The best design, and its accuracy on held-out samples, as shares."""

    epsilon: float
    design: int
    low: float
    high: float
    """Ends of the interval in which nine of ten runs are expected to end."""
    mean: float
    runs: int
    measured: bool
    """Whether the runs are fresh ones, which did not choose the design."""
    reaches: bool
    """Whether a further run surely reaches the accuracy that is asked for, if one is."""
    sure: float = 0.0
    """Accuracy that a further run reaches with 97.5 % confidence, over all looks."""
    open: bool = False
    """Whether 97.5 % of runs may reach it all the same."""
    above: float | None = None
    """Largest ε that does not surely reach it; the least lies above."""
    tried: tuple[float, ...] = ()
    """Mean accuracy of each design by the screening, at that ε."""
    ceiling: float = 1.0
    """Accuracy of one run without noise, of the design with most rounds."""


class _Wanted(Exception):
    def __init__(self, points: Sequence[DesignRun]) -> None:
        self.points = points


def next_points(space: Needs | Question, known: KnownAccuracies) -> list[DesignRun]:
    """Points to train next; empty once everything that is asked has its answer."""
    try:
        for number in range(len(space.questions)):
            answer_of(space, known, number)
    except _Wanted as missing:
        return list(missing.points)
    return []


def answer_of(space: Needs | Question, known: KnownAccuracies, number: int = 0) -> BestDesign:
    """Answer to one of the questions; raises if runs are missing."""
    search = _Search(space.questions[number], known, number)
    found = search.answer()
    return replace(found, ceiling=search.ceiling(found))


def experiment_of(space: Needs | Question, point: DesignRun) -> Experiment:
    """Experiment of a run, or of a trial; that of a negative design has no noise (`without_noise`)."""
    clean = point.design < 0
    design = without_noise(point.design) if clean else point.design
    made = space.questions[point.question].designs(point.epsilon)[design]
    seeded = changed(made, {"seed": made.seed + max(0, point.seed)})
    return plain(seeded) if clean else seeded


def without_noise(design: int) -> int:
    """Number that stands for a design without noise; and the design that such a number stands for."""
    return -1 - design


@dataclass
class _Search:
    space: Needs | Question
    known: KnownAccuracies
    number: int
    looks: int = field(default=0, init=False)
    """Number of looks at fresh seeds so far."""
    seen: dict[DesignRun, np.ndarray] = field(default_factory=dict, init=False)
    """Accuracies of the fresh seeds of each design and ε looked at."""

    def answer(self) -> BestDesign:
        if (epsilon := self.space.epsilon) is not None:
            return self.look(epsilon) if self.space.confirmed else self.expected(epsilon)
        place = self.least()
        if not self.space.confirmed:
            return self.best(self.space.steps[place])
        _, place, _ = self.edge(place, self.chosen)  # real runs first, so that few looks are spent
        fails, _, found = self.edge(min(place, len(self.space.steps) - 1), self.look)
        below = self.space.steps[fails] if fails >= 0 else found.epsilon
        return replace(found, above=below if found.reaches and below < found.epsilon else None)

    def edge(self, place: int, judged: Callable[[float], BestDesign]) -> tuple[int, int, BestDesign]:
        """Places of neighbours, of which the second alone reaches the accuracy, sought from `place` on in
        doubling strides; and what was found at the second, or where there is none at the last.
        """
        fails, meets, stride = -1, len(self.space.steps), 1
        while meets - fails > 1:
            now = judged(self.space.steps[place])
            if now.reaches:
                meets, found = place, now
            else:
                fails = place
            if meets == len(self.space.steps):
                found, place, stride = now, min(place + stride, meets - 1), 2 * stride
            elif fails < 0:
                place, stride = max(place - stride, 0), 2 * stride
            else:
                place = (fails + meets) // 2
        return fails, meets, found

    def runs(self, designs: Sequence[int], epsilon: float, seeds: range) -> np.ndarray:
        """Accuracies (designs, seeds)."""
        points = [[self.at(one, epsilon, seed) for seed in seeds] for one in designs]
        if missing := [point for row in points for point in row if point not in self.known]:
            raise _Wanted(missing)
        return np.array([[self.known[point] for point in row] for row in points])

    def at(self, design: int, epsilon: float, seed: int) -> DesignRun:
        plain = without_noise(design) if design < 0 else design
        return DesignRun(self.number, design, self.space.allowed(plain, epsilon), seed)

    def ranked(self, epsilon: float) -> tuple[list[int], list[list[float]]]:
        """Designs by falling mean accuracy, and all their accuracies, of trials or first runs."""
        points = list[list[DesignRun]]()
        for one, design in enumerate(self.space.designs(epsilon)):
            trial = self.at(one, epsilon, TRIAL)
            dear = self.space.is_dear(design) and not isnan(self.known.get(trial, 0.0))
            dear = dear and trial._replace(seed=SCREENED.start) not in self.known
            seeds = range(TRIAL, TRIAL - REPLICAS, -1) if dear else SCREENED
            every = [trial._replace(seed=seed) for seed in seeds]
            points.append([one for one in every if one in self.known or one == trial or not dear])
        if missing := [point for row in points for point in row if point not in self.known]:
            raise _Wanted(missing)
        found = [[self.known[point] for point in row] for row in points]
        return sorted(range(len(found)), key=lambda one: -float(np.mean(found[one]))), found

    def best(self, epsilon: float, seen: float | None = None) -> BestDesign:
        """The design that the screening found best, or `seen` of it. Its spread over seeds is that of all
        designs.
        """
        order, found = self.ranked(epsilon)
        first = [found[one] for one in order[: 2 * BEST]]
        spread = deviation(*first)
        if not spread.freedom:
            spread = Deviation(UNSURE, MANY)
        mean, runs = float(np.mean(first[0])), len(first[0])
        sure = further_run(mean, self.space.fresh, spread, MISSED)
        half = nine_of_ten(spread, runs, UNSURE)
        return self._of(epsilon, order[0], mean if seen is None else seen, half, sure, runs)

    def expected(self, epsilon: float) -> BestDesign:
        """The design that the screening found best, with its mean over seeds that did not choose it; where
        runs are dear, over its trials.
        """
        design = self.best(epsilon).design
        if self.at(design, epsilon, SCREENED.start) not in self.known:
            return self.best(epsilon)
        return self.best(epsilon, float(self.runs([design], epsilon, EXPECTED).mean()))

    def least(self) -> int:
        """Place among the steps of the least ε at which a design is expected to suffice, or the last."""
        steps = self.space.steps
        low, high = -1, len(steps) - 1
        while high - low > 1:
            middle = (low + high) // 2
            middle -= middle % COARSE if middle - middle % COARSE > low else 0
            if self.best(steps[middle]).reaches:
                high = middle
            else:
                low = middle
        return high

    def chosen(self, epsilon: float) -> BestDesign:
        """The one of the best of the screening that further runs choose."""
        first = self.ranked(epsilon)[0][:BEST]
        found = self.runs(first, epsilon, CHOOSING)
        best = int(found.mean(axis=1).argmax())
        self.seen[self.at(first[best], epsilon, CHOOSING.start)] = found[best]
        mean, spread = float(found[best].mean()), deviation(*self.seen.values())
        sure = further_run(mean, self.space.fresh, Deviation(spread.size, MANY), MISSED)
        return self._of(epsilon, first[best], mean, nine_of_ten(spread, len(CHOOSING)), sure, len(CHOOSING))

    def look(self, epsilon: float) -> BestDesign:
        """Figures of fresh seeds for the chosen design; at the last ε of more, while they leave it open."""
        design = self.chosen(epsilon).design
        for times in range(1 + DOUBLED * (epsilon == self.space.steps[-1])):
            self.looks += 1
            many, missed = self.space.fresh * 2**times, MISSED * spent(self.looks)
            fresh = self.runs([design], epsilon, range(FIRST, FIRST + many))[0]
            self.seen[self.at(design, epsilon, FIRST)] = fresh
            own, pooled, mean = deviation(fresh), deviation(*self.seen.values()), float(fresh.mean())
            spread = Deviation(max(own.size, pooled.size), pooled.freedom)
            sure = further_run(mean, many, spread, missed)
            found = self._of(epsilon, design, mean, nine_of_ten(own, many), sure, many)
            still = not found.reaches and most_runs(fresh, missed) >= (self.space.accuracy or 0.0)
            found = replace(found, measured=True, open=still)
            if not still:
                break
        return found

    def _of(
        self, epsilon: float, design: int, mean: float, half: float, sure: float, runs: int
    ) -> BestDesign:
        reaches = self.space.accuracy is None or sure >= self.space.accuracy
        low, high = max(0.0, mean - half), min(1.0, mean + half)
        own = self.space.allowed(design, epsilon)
        tried = tuple(float(np.mean(one)) for one in self.ranked(epsilon)[1])
        return BestDesign(own, design, low, high, mean, runs, False, reaches, sure, tried=tried)

    def ceiling(self, found: BestDesign) -> float:
        """Accuracy of a run without noise, of the design with most rounds (of several, the found one)."""
        every = self.space.designs(found.epsilon)
        one = max(range(len(every)), key=lambda one: (every[one].rounds, one == found.design))
        point = self.at(without_noise(one), found.epsilon, 0)
        read = self.known.get(point._replace(epsilon=0.0))  # stored without an ε
        return read if read is not None else float(self.runs([point.design], found.epsilon, range(1))[0, 0])
