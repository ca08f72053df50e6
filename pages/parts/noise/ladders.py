"""Positions of the sliders on Noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ldp_core.limits import EPSILON

WEIGHTS = 81
"""Number of positions of a weight in its range, besides the current one."""
FIRST_WEIGHT = round(0.6 * (WEIGHTS - 1))
"""Initial position of the weight."""


@dataclass(frozen=True)
class Span:
    """Geometric scale of a slider."""

    low: float
    high: float
    steps: int
    exact: tuple[float, ...]
    """Values that the slider includes exactly."""


BUDGETS = Span(0.1, 20.0, 80, (0.1, 0.2, 0.5, 1, 2, 4, 8, 10, 20, 50, 100, 200, 500))
"""Scale of the slider over ε."""
HALVES = Span(0.02, 5.0, 40, (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5))
"""Scale of the slider over τ, half the width of the safe range."""


def budgets_of(divided: bool) -> Span:
    """Scale of ε; wider if it is divided over many uses."""
    return replace(BUDGETS, high=EPSILON.maximum) if divided else BUDGETS


@dataclass(frozen=True)
class Stand:
    steps: tuple[float, ...]
    own: int | None
    """Position of the client's own value; None without one."""
    at: int

    def asked(self, at: int) -> float | None:
        """Value at a position; None at the client's own."""
        return None if at == self.own else self.steps[at]

    @property
    def here(self) -> float | None:
        return self.asked(self.at)


def stand(span: Span, own: float, at: Any) -> Stand:
    """Slider at a requested position, else at the client's own value."""
    steps = ladder(span, own)
    place = steps.index(own)
    return Stand(steps, place, at if isinstance(at, int) and 0 <= at < len(steps) else place)


def ladder(span: Span, own: float) -> tuple[float, ...]:
    """Values of a slider, including round ones and the client's own."""
    low, high = min(span.low, own), max(span.high, own)
    steps = [float(f"{step:.2g}") for step in np.geomspace(low, high, span.steps)]
    return tuple(sorted({*steps, *(step for step in map(float, span.exact) if low <= step <= high), own}))


def weights(low: float, high: float, stands: float | None = None) -> tuple[float, ...]:
    """Values of a weight over a range, including the current one."""
    steps = [float(f"{weight:.3g}") for weight in np.linspace(low, high, WEIGHTS)]
    return tuple(steps if stands is None or stands in steps else sorted([*steps, stands]))
