"""Numerical integration of mechanisms' laws from their log densities."""

from collections.abc import Callable

import numpy as np

from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.base import Floats

Budget = tuple[float, float, float]
"""ε, low and high."""

REACH = 60.0
"""Standard deviations beyond which tails are cut off."""
PANELS = 200
"""Panels between two edges; fewer where a law lists more than `MANY` of them."""
MANY = 100
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


def expectation(
    mechanism: Mechanism,
    value: float,
    budget: Budget,
    of: Callable[[Floats], Floats],
    cuts: Floats | None = None,
) -> float:
    """E[of(output)] of one coordinate for an input, over atoms and density."""
    atoms = mechanism.at(*budget).atoms(value)
    total = 0.0
    if atoms.size:
        mass = np.exp(mechanism.at(*budget).marginal_log_prob(atoms, value))
        total = float((mass * of(atoms)).sum())
    edges = finite_edges(mechanism, value, budget)
    if edges:
        extra = cuts if cuts is not None else ()
        edges = sorted({*edges, *(float(c) for c in extra if edges[0] < c < edges[-1])})
    if len(edges) > 1:
        grid = between(edges, PANELS)
        half = (grid[1:] - grid[:-1]) / 2
        y = (grid[:-1] + half)[:, None] + half[:, None] * NODES
        density = np.exp(mechanism.at(*budget).marginal_log_prob(y, value))
        total += float((half[:, None] * WEIGHTS * density * of(y)).sum())
    return total


def between(edges: list[float], panels: int) -> Floats:
    """Edges with so many panels between two of them; a law with endless edges has as many in all as one with
    `MANY`, if no fewer than one each.
    """
    each = max(1, min(panels, panels * MANY // len(edges)))
    steps = np.linspace(0, 1, each + 1)[:-1]
    left, width = np.array(edges[:-1]), np.diff(edges)
    return np.append((left[:, None] + width[:, None] * steps).ravel(), edges[-1])


def finite_edges(mechanism: Mechanism, value: float, budget: Budget) -> list[float]:
    """Edges of the density, with infinite ones replaced by distant points and steps between."""
    edges = mechanism.at(*budget).edges(value)
    if not edges.size:
        return []
    sd = float(np.sqrt(mechanism.variance(value, *budget)))
    steps = [value + sign * k * sd for sign in (-1, 1) for k in (1, 3, 8, 20)]
    if np.isfinite(edges).all():
        return sorted({*map(float, edges)})
    return sorted({*map(float, np.clip(edges, value - REACH * sd, value + REACH * sd)), *steps})


def cdf(mechanism: Mechanism, value: float, budget: Budget) -> Callable[[Floats], Floats]:
    """Distribution function of the law's continuous part, scaled to end at 1."""
    edges = finite_edges(mechanism, value, budget)
    grid = np.unique(between(edges, 400))
    middle = (grid[1:] + grid[:-1]) / 2
    density = np.exp(mechanism.at(*budget).marginal_log_prob(middle, value))
    heights = np.concatenate([[0.0], np.cumsum(density * np.diff(grid))])
    return lambda y: np.interp(y, grid, heights / heights[-1])
