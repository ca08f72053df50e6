"""A scenario's picture: one bar a client, as tall as its budget."""

from __future__ import annotations

import numpy as np

from ldp_core.experiment import Draft

WIDTH, HEIGHT, MOST = 300, 64, 40


def picture(draft: Draft) -> str:
    """An SVG of the population: taller and darker bars ask for less protection."""
    budgets = draft.base.clients.budgets()
    if len(budgets) > MOST:
        budgets = budgets[np.linspace(0, len(budgets) - 1, MOST).astype(int)]
    scale = np.log10(budgets / 0.05) / np.log10(20 / 0.05)
    tall = np.clip(scale, 0.06, 1.0)
    step = WIDTH / len(budgets)
    bars = "".join(
        f'<rect x="{i * step + 0.15 * step:.1f}" y="{HEIGHT * (1 - t):.1f}" width="{0.7 * step:.1f}" '
        f'height="{HEIGHT * t:.1f}" rx="2" fill="{"#2f74c9" if e >= 2 else "#9aa6b5"}"/>'
        for i, (t, e) in enumerate(zip(tall, budgets, strict=True))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'preserveAspectRatio="none">{bars}</svg>'
    )
