"""Many small minimisations side by side: L-BFGS with a history and a step for each row of its own.

A library's L-BFGS takes all rows for one problem, so that a row that curves one way bends the steps of
all others. Here only the function is shared, which is evaluated for all rows at once: that is what
makes a batch of images as quick as one (Nocedal and Wright 2006, algorithm 7.4, and backtracking).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

HISTORY = 20
"""Pairs of steps and changes of slope that a row remembers."""
TRIES = 12
"""Halvings of a step before a row gives up for good."""
DESCENT = 1e-4
"""Of the descent that the slope promises, the share that a step must keep (Armijo)."""

Objective = Callable[["torch.Tensor", "torch.Tensor"], "tuple[torch.Tensor, torch.Tensor]"]
"""Points (k, n) of k problems and which ones they are (k,) → their values (k,) and slopes (k, n)."""


def minimise(
    objective: Objective,
    start: torch.Tensor,
    iterations: int,
    on_progress: Callable[[float], None] | None = None,
    enough: float = 0.0,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The lowest points (N, n) that were found from `start` (N, n), and their values (N,).

    A row rests once its value is at most `enough`, or where no step lowers it any more.
    """
    import torch

    x = start.clone()
    value, slope = objective(x, torch.arange(len(x), device=x.device))
    steps: list[torch.Tensor] = []
    bends: list[torch.Tensor] = []
    alive = torch.isfinite(value) & (value > enough)
    for number in range(iterations):
        direction = -_curved(slope, steps, bends)
        promised = (direction * slope).sum(1)
        uphill = promised >= 0
        direction[uphill] = -slope[uphill]
        promised = torch.where(uphill, -(slope**2).sum(1), promised)
        size = torch.ones_like(value) if steps else 1 / slope.abs().sum(1).clamp(min=1)
        fresh, there, new_value, new_slope = alive.clone(), x.clone(), value.clone(), slope.clone()
        for _ in range(TRIES):
            rows = fresh.nonzero()[:, 0]
            if not len(rows):
                break
            tried = x[rows] + size[rows, None] * direction[rows]
            found, found_slope = objective(tried, rows)
            good = found <= value[rows] + DESCENT * size[rows] * promised[rows]
            kept = rows[good]
            there[kept], new_value[kept], new_slope[kept] = tried[good], found[good], found_slope[good]
            fresh[kept] = False
            size[rows] /= 2
        alive &= ~fresh & (new_value > enough)
        steps, bends = [*steps, there - x][-HISTORY:], [*bends, new_slope - slope][-HISTORY:]
        x, value, slope = there, new_value, new_slope
        if on_progress:
            on_progress((number + 1) / iterations)
        if not bool(alive.any()):
            break
    return x, value


def _curved(slope: torch.Tensor, steps: list[torch.Tensor], bends: list[torch.Tensor]) -> torch.Tensor:
    """The slope times the inverse curvature that the history tells; pairs that tell none are skipped."""
    import torch

    q, shares = slope.clone(), []
    for step, bend in zip(reversed(steps), reversed(bends), strict=True):
        product = (step * bend).sum(1)
        told = product > 1e-12 * (bend**2).sum(1)
        inverse = torch.where(told, 1 / torch.where(told, product, 1.0), 0.0)
        share = inverse * (step * q).sum(1)
        q -= share[:, None] * bend
        shares.append((share, inverse))
    if steps:
        product, square = (steps[-1] * bends[-1]).sum(1), (bends[-1] ** 2).sum(1)
        q *= torch.where(product > 0, product / square.clamp(min=1e-300), 1.0)[:, None]
    for (share, inverse), step, bend in zip(reversed(shares), steps, bends, strict=True):
        q += (share - inverse * (bend * q).sum(1))[:, None] * step
    return q
