"""Alternative text of charts over rounds: the course of each line."""

from collections.abc import Callable, Sequence

import numpy as np

from ldp_core.mechanisms.base import Floats
from pages.parts.charts.series import Series

PLACES = 4
"""Number of rounds named for each line: the first, the last, and two between."""


def course(
    title: str, shown: Sequence[Series], curve: Callable[[Series], Floats], says: Callable[[float], str]
) -> str:
    """Text like `Noise variance per weight by round. mean: 0.84 after round 1, … 0.85 after round 15.`"""
    lines = [words for one in shown if (words := _line(one, curve, says))]
    return f"{title}. {'; '.join(lines) or 'No values yet'}."


def _line(one: Series, curve: Callable[[Series], Floats], says: Callable[[float], str]) -> str:
    mean = curve(one)
    known = np.flatnonzero(np.isfinite(mean))
    if not known.size:
        return ""
    places = known[np.unique(np.linspace(0, known.size - 1, PLACES).round().astype(int))]
    each = [f"{says(float(mean[at]))} {'at the start' if at == 0 else f'after round {at}'}" for at in places]
    low, high = float(mean[known].min()), float(mean[known].max())
    span = f" (lowest {says(low)}, highest {says(high)})" if known.size > PLACES else ""
    return f"{one.label}: {', '.join(each)}{span}"
