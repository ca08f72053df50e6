"""Statements of a paper about arms, in forms that can be tested against figures."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import ClassVar

import numpy as np

from ldp_core.inference import SMALL, Interval, Outcome, interval, judged, within
from ldp_core.mechanisms.base import Floats

TOLERANCE = 2.0
"""Points around a printed figure that count as the same, as papers print no intervals."""
MOST = {"digits": 20, "mnist": 5}
"""Largest number of seeds for an undecided statement, by data set."""


@dataclass(frozen=True)
class Quantity:
    axis: str
    unit: str
    apart: str
    """Unit of a difference of two figures."""
    factor: float
    """From stored to displayed figures."""
    of_a_model: bool = True
    """Whether the quantity says little of a model that has learnt nothing."""


DIVERGED = "diverged"
QUANTITIES = {
    "accuracy": Quantity("accuracy after the last round, %", "%", "points", 100.0),
    "heterogeneity": Quantity("heterogeneity, summed over rounds (nats²)", "", "", 1.0),
    "processor": Quantity("seconds of processor time a round", "s", "s", 1.0, of_a_model=False),
    "recovered": Quantity("images that came back, %", "%", "points", 100.0, of_a_model=False),
    DIVERGED: Quantity("runs that diverge, %", "%", "points", 100.0, of_a_model=False),
}
"""Quantities of claims; all but the accuracy are stored in a figure's `also`."""

OF_TRIALS = {"recovered", DIVERGED}
"""Quantities that count trials, one or few a seed."""

Figures = Callable[[Sequence[str]], Mapping[str, Floats]]
"""Function from arms' labels to their figures in percent, by seed, for seeds common to all."""


@dataclass(frozen=True)
class Part:
    says: str
    """The paper's statement with its figure."""
    ours: Interval
    outcome: Outcome
    unit: str
    shows: str
    """The measured result, as the text after “here”."""


@dataclass(frozen=True)
class Statement(ABC):
    what: str
    compares: ClassVar[bool] = True
    """Whether the statement compares arms, so that it is void if none of them learns."""

    @property
    @abstractmethod
    def arms(self) -> tuple[str, ...]:
        """Labels of the arms in the statement."""

    @property
    def says(self) -> str:
        """The statement in words, with the paper's figure."""
        return self.what

    @abstractmethod
    def judged(self, figures: Figures, among: int = 1, least: float = 0.0) -> Part:
        """Outcome for measured figures; `among` and `least` are for `interval`."""


@dataclass(frozen=True)
class Value(Statement):
    """The figure of an arm; of several arms, the best."""

    of: tuple[str, ...]
    paper: float
    tolerance: float = TOLERANCE
    compares: ClassVar[bool] = False

    @property
    def arms(self) -> tuple[str, ...]:
        return self.of

    @property
    def says(self) -> str:
        return f"{self.what}: {self.paper:g} %"

    def judged(self, figures: Figures, among: int = 1, least: float = 0.0) -> Part:
        table = figures(self.of)
        best = max(self.of, key=lambda name: table[name].mean())
        ours = interval(table[best], among * len(self.of), least)
        return Part(
            self.says,
            ours,
            within(ours.low, ours.high, self.paper, self.tolerance),
            "%",
            f"{self.what} {stated(ours)}",
        )


@dataclass(frozen=True)
class Paired(Statement):
    """Difference of two arms, paired by seed; averaged over several pairs."""

    pairs: tuple[tuple[str, str], ...]

    @property
    def arms(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for pair in self.pairs for name in pair))

    def difference(self, figures: Figures, among: int, least: float) -> Interval:
        table = figures(self.arms)
        gaps = [table[first] - table[second] for first, second in self.pairs]
        return interval(np.mean(gaps, axis=0), among, sqrt(2) * least)


@dataclass(frozen=True)
class Gain(Paired):
    """Points by which one arm exceeds another."""

    paper: float
    tolerance: float = TOLERANCE

    @property
    def says(self) -> str:
        return f"{self.what}: {self.paper:+g} points".replace("+0 points", "no gain")

    def judged(self, figures: Figures, among: int = 1, least: float = 0.0) -> Part:
        ours = self.difference(figures, among, least)
        shown = f"{self.what} {stated(ours, 'points', signed=True)}"
        return Part(self.says, ours, within(ours.low, ours.high, self.paper, self.tolerance), "points", shown)


@dataclass(frozen=True)
class Ahead(Paired):
    """One arm ends above another by more than seeds explain."""

    unit: str = "points"

    def judged(self, figures: Figures, among: int = 1, least: float = 0.0) -> Part:
        ours = self.difference(figures, among, least)
        shown = f"“{self.what}” by {stated(ours, self.unit, signed=True)}"
        outcome = judged(ours.low, ours.high, 100 * SMALL if self.unit == "points" else 0.0)
        return Part(self.says, ours, outcome, self.unit, shown)


@dataclass(frozen=True)
class Saves(Paired):
    """Per cent by which the second arm's figure is below the first's, paired by seed; of one pair."""

    paper: float

    @property
    def says(self) -> str:
        return f"{self.what}: more than {self.paper:g} %"

    def judged(self, figures: Figures, among: int = 1, least: float = 0.0) -> Part:
        table, ((more, less),) = figures(self.arms), self.pairs
        ours = interval(100 * (1 - table[less] / table[more]), among, least)
        outcome = judged(ours.low - self.paper, ours.high - self.paper, 100 * SMALL)
        return Part(self.says, ours, outcome, "%", f"{self.what} {stated(ours)}")


def stated(ours: Interval, unit: str = "%", signed: bool = False) -> str:
    """Mean and half the interval, like `88.1 ± 1.2 %`; three digits without a unit; – without seeds."""
    if not ours.seeds:
        return "–"
    largest = max(abs(ours.mean), ours.half if ours.half < inf else 0)
    digits = (1 if largest < 1000 else 0) if unit else (3 if largest < 1 else 2 if largest < 10 else 1)
    mean = f"{ours.mean:{'+' if signed else ''}.{digits}f}".replace("-", "−")
    spread = "" if ours.half == inf else f" ± {ours.half:.{digits}f}"
    return f"{mean}{spread} {unit}".rstrip()
