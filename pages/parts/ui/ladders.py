"""Positions of sliders over a budget, a range and a weight."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

WEIGHTS = 81
"""Number of positions of a weight in its range, besides the current one."""
FIRST_WEIGHT = round(0.6 * (WEIGHTS - 1))
"""Initial position of the weight."""


class Span(NamedTuple):
    """Geometric scale of a slider."""

    low: float
    high: float
    steps: int
    exact: tuple[float, ...]
    """Values that the slider includes exactly."""

    def over(self, own: Sequence[float]) -> list[float]:
        """Its positions, with round and these values, which may lie beyond its ends."""
        low, high = min(self.low, *own), max(self.high, *own)
        between = [float(f"{step:.2g}") for step in np.geomspace(low, high, self.steps)]
        return sorted({*between, *(float(step) for step in self.exact if low <= step <= high), *own})


BUDGETS = Span(0.1, 20.0, 80, (0.1, 0.2, 0.5, 1, 2, 4, 8, 10, 20, 50, 100, 200, 500))
"""Scale of the slider over ε."""
HALVES = Span(0.02, 5.0, 40, (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5))
"""Scale of the slider over τ, half the width of the safe range."""


@dataclass(frozen=True)
class Stand:
    steps: tuple[float, ...]
    own: int | None
    """Position of the client's own value; None without one."""
    at: int

    @property
    def here(self) -> float | None:
        """Value at the position; None at the client's own."""
        return None if self.at == self.own else self.steps[self.at]


def stand(span: Span, own: float, at: Any) -> Stand:
    """Slider over round values and the client's own, at a requested position, else at the client's own."""
    steps = span.over([own])
    place = steps.index(own)
    return Stand(tuple(steps), place, at if isinstance(at, int) and 0 <= at < len(steps) else place)


def weights(low: float, high: float, stands: float | None = None) -> tuple[float, ...]:
    """Values of a weight over a range, including the current one."""
    steps = [float(f"{weight:.3g}") for weight in np.linspace(low, high, WEIGHTS)]
    return tuple(steps if stands is None or stands in steps else sorted([*steps, stands]))
