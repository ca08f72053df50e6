"""Statements of a paper about arms, in forms that can be tested against figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt

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
    factor: float = 100.0
    """From stored to displayed figures."""
    of_a_model: bool = False
    """Whether the quantity says little of a model that has learnt nothing."""


DIVERGED, ROUND = "diverged", "round "
QUANTITIES = {
    "accuracy": Quantity("accuracy after the last round, %", "%", "points", of_a_model=True),
    "extended": Quantity("accuracy of the best extended model, %", "%", "points", of_a_model=True),
    "heterogeneity": Quantity("heterogeneity, summed over rounds (nats²)", "", "", 1.0, of_a_model=True),
    "recovered": Quantity("images that came back, %", "%", "points"),
    DIVERGED: Quantity("runs that diverge, %", "%", "points"),
    "error": Quantity("relative error, %", "%", "points"),
}
"""Quantities by name. An accuracy and an error are a figure's value, diverged is its status, and others are
stored in its `also`.
"""
OF_TRIALS = {"recovered", DIVERGED}
"""Quantities that count trials, one or few a seed."""
AT = " @ "
"""Between an arm's label and the quantity that is read off it, as in `x & log @ diverged`."""

ArmFigures = Callable[[Sequence[str]], Mapping[str, Floats]]
"""Function from operands to their figures, in the quantity's unit, by seed, for seeds common to all."""


def operand(name: str, about: str) -> tuple[str, str]:
    """Label of the arm, and name of the quantity, by default that of the claim."""
    label, _, own = name.partition(AT)
    return label, own or about


def quantity(about: str) -> Quantity:
    return QUANTITIES["accuracy" if about.startswith(ROUND) else about]


@dataclass(frozen=True)
class ClaimPart:
    says: str
    """The paper's statement with its figure."""
    ours: Interval
    outcome: Outcome
    unit: str


@dataclass(frozen=True)
class Statement:
    """Figure of an arm (`of`), of several the best; or by how much arms exceed others (`over`), paired by
    seed and averaged over the pairs: a printed figure, or without one an order.
    """

    what: str
    of: tuple[str, ...] = ()
    over: tuple[tuple[str, str], ...] = ()
    paper: float | None = None
    tolerance: float = TOLERANCE

    @property
    def operands(self) -> tuple[str, ...]:
        return self.of or tuple(dict.fromkeys(name for pair in self.over for name in pair))

    def says(self, about: str) -> str:
        """The statement in words, with the paper's figure."""
        if self.paper is None:
            return self.what
        made = quantity(operand(self.operands[0], about)[1])
        if self.of:
            return f"{self.what}: {self.paper:g} {made.unit}".rstrip()
        return f"{self.what}: {self.paper:+g} {made.apart}".replace("+0 points", "no gain")

    def judged(self, figures: ArmFigures, about: str, among: int = 1, least: float = 0.0) -> ClaimPart:
        """Outcome for measured figures; `among` and `least` are for `interval`."""
        table, made = figures(self.operands), quantity(operand(self.operands[0], about)[1])
        if self.of:
            best = max(self.of, key=lambda name: table[name].mean())
            ours, unit = interval(table[best], among * len(self.of), least), made.unit
        else:
            gaps = [table[first] - table[second] for first, second in self.over]
            ours, unit = interval(np.mean(gaps, axis=0), among, sqrt(2) * least), made.apart
        if self.paper is not None:
            outcome = within(ours.low, ours.high, self.paper, self.tolerance)
        else:
            outcome = judged(ours.low, ours.high, 100 * SMALL if unit else 0.0)
        return ClaimPart(self.says(about), ours, outcome, unit)


def in_unit(part: ClaimPart) -> str:
    """Our figure of a statement, a difference with its sign."""
    return stated(part.ours, part.unit, part.unit not in ("%", ""))


def stated(ours: Interval, unit: str = "%", signed: bool = False) -> str:
    """Mean and half the interval, like `88.1 ± 1.2 %`; three digits without a unit; – without seeds."""
    if not ours.seeds:
        return "–"
    largest = max(abs(ours.mean), ours.half if ours.half < inf else 0)
    digits = (1 if largest < 1000 else 0) if unit else (3 if largest < 1 else 2 if largest < 10 else 1)
    mean = f"{ours.mean:{'+' if signed else ''}.{digits}f}".replace("-", "−")
    spread = "" if ours.half == inf else f" ± {ours.half:.{digits}f}"
    return f"{mean}{spread} {unit}".rstrip()
