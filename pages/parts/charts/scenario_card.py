"""A scenario's picture: one bar a client, as tall as its budget."""

from __future__ import annotations

import numpy as np

from ldp_core.experiment import Draft
from ldp_core.mechanisms.base import Floats
from pages.parts.ui.text import number

WIDTH, HEIGHT, TEXT, MOST, FEW = 300, 84, 20, 40, 4
HALF = 22
"""Of the width of a value that is written, at most."""


def picture(draft: Draft) -> str:
    """An SVG of the population: a bar a client, as tall as its ε, with the values that there are."""
    budgets = draft.base.clients.budgets()
    if len(budgets) > MOST:
        budgets = budgets[np.linspace(0, len(budgets) - 1, MOST).astype(int)]
    tall = np.maximum(budgets / budgets.max(), 0.03) * (HEIGHT - TEXT)
    step = WIDTH / len(budgets)
    bars = "".join(
        f'<rect x="{i * step + 0.15 * step:.1f}" y="{HEIGHT - t:.1f}" width="{0.7 * step:.1f}" '
        f'height="{t:.1f}" rx="2" fill="#5b86bf"/>'
        for i, t in enumerate(tall)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">{bars}'
        f"{_names(budgets, tall, step)}</svg>"
    )


def _names(budgets: Floats, tall: Floats, step: float) -> str:
    """ε written above the middle of each stretch of equal budgets; of many, the smallest and the largest."""
    starts = np.flatnonzero(np.diff(budgets, prepend=np.nan) != 0)
    ends = np.append(starts[1:], len(budgets))
    if len(starts) > FEW:
        named = budgets[starts]
        told = np.unique([named.argmin(), len(named) - 1 - named[::-1].argmax()])  # far from each other
        starts, ends = starts[told], ends[told]
    words = ""
    for a, b in zip(starts, ends, strict=True):
        middle = min(max((a + b) / 2 * step, HALF), WIDTH - HALF)
        first, last = max(0, int((middle - HALF) / step)), int(np.ceil((middle + HALF) / step))
        below = tall[a] if len(starts) <= FEW and b - a > 2 * HALF / step else tall[first:last].max()
        words += (
            f'<text x="{middle:.1f}" y="{HEIGHT - below - 5:.1f}" font-family="sans-serif" font-size="13" '
            f'text-anchor="middle" fill="#808a99">ε {number(budgets[a])}</text>'
        )
    return words
