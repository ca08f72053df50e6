"""The answer to the visitor's own question: all designs are screened by two runs each, and on request the
best are trained with fresh seeds.

Under a promise the best design is sought; for an accuracy, the least ε at which the best design reaches it,
by bisection. The seeds that choose a design are never those that report it. All designs share their seeds,
so they are paired; what is trained next depends on results only, so a killed search resumes from the store.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ldp_core.experiment import Experiment, changed
from ldp_core.inference.interval import Deviation, deviation, nine_of_ten
from ldp_core.limits import EPSILON
from ldp_core.tuning.needs import Needs

SCREENED = range(2)
CHOOSING = range(2, 5)
"""Seeds by which one of the `BEST` designs of the screening is chosen."""
REPORTING = range(5, 13)
"""Fresh seeds, which decide nothing."""
BEST = 3
STEPS = tuple(step for k in range(60) if EPSILON.allows(step := 0.25 * 2 ** (k / 4)))
"""Values of ε among which the least that reaches an accuracy is sought."""
COARSE = 4
"""Step among them until two neighbours are known."""
CLEAN: Mapping[str, Any] = {
    "mechanism": {"name": "none"},
    "trust": {"kind": "local"},
    "clients.epsilon_scope": "mechanism",
}
WHOLE: Mapping[str, Any] = {"unit": "client", "local": {"epochs": 1, "batch_size": 10, "learning_rate": 0.5}}
"""What training without noise has besides, where a design shortens each record's gradient."""
UNSURE = 0.04
"""Standard deviation of what two runs of a design do not show, as a share (`reference/pilot.md`)."""


class Point(NamedTuple):
    """One run: the question (0 is the visitor's, others are `Needs.changed`), design, ε, and seed relative to
    the question's; a negative design is one without noise.
    """

    question: int
    design: int
    epsilon: float
    seed: int


Known = Mapping[Point, float]
"""Final accuracy by trained point; 0 for a run that did not complete."""


@dataclass(frozen=True)
class Found:
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
    """Whether the mean reaches the accuracy that is asked for, if one is."""
    ceiling: float = 1.0
    """Accuracy of one run without noise, of the design with most rounds."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class _Wanted(Exception):
    def __init__(self, points: Sequence[Point]) -> None:
        self.points = points


def next_points(needs: Needs, known: Known) -> list[Point]:
    """Points to train next; empty once everything that is asked has its answer."""
    try:
        for number in range(1 + len(needs.changed()) * needs.levers):
            answer_of(needs, known, number)
    except _Wanted as missing:
        return list(missing.points)
    return []


def answer_of(needs: Needs, known: Known, number: int = 0) -> Found:
    """Answer to the question, or to one of its changed ones; raises if runs are missing."""
    own = _changed(needs, number)
    search = _Search(own, known, number)
    found = search.answer()
    every = own.designs(found.epsilon)
    longest = max(range(len(every)), key=lambda one: every[one].rounds)
    ceiling = search.runs([without_noise(longest)], found.epsilon, range(1))
    return replace(found, ceiling=float(ceiling[0, 0]))


def experiment_of(needs: Needs, point: Point) -> Experiment:
    """Experiment of a run; that of a negative design has no noise (`without_noise`)."""
    own = _changed(needs, point.question)
    clean = point.design < 0
    made = own.designs(point.epsilon)[without_noise(point.design) if clean else point.design]
    plain = {**CLEAN, **(WHOLE if made.unit == "record" else {})} if clean else {}
    return changed(made, {"seed": made.seed + point.seed, **plain})


def without_noise(design: int) -> int:
    """Number that stands for a design without noise; and the design that such a number stands for."""
    return -1 - design


def _changed(needs: Needs, number: int) -> Needs:
    return needs if number == 0 else needs.changed()[number - 1].needs


@dataclass(frozen=True)
class _Search:
    needs: Needs
    known: Known
    number: int

    def answer(self) -> Found:
        epsilon, goal = self.needs.epsilon, self.needs.accuracy or 0.0
        place = self.least(goal) if epsilon is None else 0
        while True:
            found = self.best(STEPS[place] if epsilon is None else epsilon)
            if self.needs.confirmed:
                found = self.confirmed(found)
            if epsilon is not None or found.mean >= goal or not found.measured or place + 1 == len(STEPS):
                return found
            place += 1  # fresh seeds fall short, so it goes on above

    def runs(self, designs: Sequence[int], epsilon: float, seeds: range) -> np.ndarray:
        """Accuracies (designs, seeds)."""
        points = [[Point(self.number, one, epsilon, seed) for seed in seeds] for one in designs]
        missing = [point for row in points for point in row if point not in self.known]
        if missing:
            raise _Wanted(missing)
        return np.array([[self.known[point] for point in row] for row in points])

    def _ranked(self, epsilon: float) -> tuple[list[int], np.ndarray]:
        """Designs by falling mean accuracy, and all their accuracies."""
        every = range(len(self.needs.designs(epsilon)))
        found = self.runs(every, epsilon, SCREENED)
        return sorted(every, key=lambda one: -float(found[one].mean())), found

    def best(self, epsilon: float) -> Found:
        """The design that the screening found best. Its spread over seeds is that of all designs."""
        order, found = self._ranked(epsilon)
        spread = deviation(found[order[: 2 * BEST]])
        return self._of(epsilon, order[0], found[order[0]], spread, measured=False)

    def least(self, goal: float) -> int:
        """Place among `STEPS` of the least ε at which a design reaches the goal; the last if none does."""
        low, high = -1, len(STEPS) - 1
        while high - low > 1:
            middle = (low + high) // 2
            middle -= middle % COARSE if middle - middle % COARSE > low else 0
            if self.best(STEPS[middle]).mean >= goal:
                high = middle
            else:
                low = middle
        return high

    def confirmed(self, screened: Found) -> Found:
        """Figures of fresh seeds for the best of the designs that were screened."""
        order, _ = self._ranked(screened.epsilon)
        first = order[:BEST]
        chosen = first[int(self.runs(first, screened.epsilon, CHOOSING).mean(axis=1).argmax())]
        fresh = self.runs([chosen], screened.epsilon, REPORTING)[0]
        return self._of(screened.epsilon, chosen, fresh, deviation(fresh), measured=True)

    def _of(self, epsilon: float, design: int, runs: np.ndarray, spread: Deviation, measured: bool) -> Found:
        mean = float(runs.mean())
        half = nine_of_ten(spread, len(runs), 0.0 if measured else UNSURE)
        reaches = self.needs.accuracy is None or mean >= self.needs.accuracy
        low, high = max(0.0, mean - half), min(1.0, mean + half)
        return Found(epsilon, design, low, high, mean, len(runs), measured, reaches)
