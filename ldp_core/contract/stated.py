"""Consistency of a stated law: total probability, moments, loss and δ, integrated from its log density."""

from collections.abc import Callable

import numpy as np

from ldp_core.contract.in_use import Broken, require
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
VECTOR = 8
"""Number of weights of a vector, for mechanisms on whole vectors."""
MOST_OUTPUTS = 20_000
"""Number of outputs under which a loss is looked for; of more, evenly many."""


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


def close(a: float, b: float, rel: float, absolute: float = 0.0) -> bool:
    return bool(abs(a - b) <= max(rel * max(abs(a), abs(b)), absolute))


def sent_by(mechanism: Mechanism, budget: Budget) -> np.ndarray:
    """All vectors that the mechanism can output; raises `Broken` if it does not list them."""
    sent = mechanism.at(*budget).outputs()
    if sent is None:
        raise Broken("it does not list what it can send")
    return sent


def check_moments(mechanism: Mechanism, budget: Budget) -> None:
    """The law has the stated total probability, mean and variance."""
    low, high = budget[1:]
    for value in (low, low + 0.3 * (high - low), (low + high) / 2, high):
        mean, variance = mechanism.mean(value, *budget), mechanism.variance(value, *budget)
        total = expectation(mechanism, value, budget, np.ones_like)
        slack = 1e-9 + _rounding(mechanism, value, budget)
        require(close(total, 1, 0, slack), f"probabilities add up to {total}")
        scale = max(abs(mean), np.sqrt(variance), 1e-12)
        seen = expectation(mechanism, value, budget, lambda y: y)
        require(close(seen, mean, 0, slack * scale), f"mean {seen}, stated {mean}")
        spread = expectation(mechanism, value, budget, lambda y, m=mean: (y - m) ** 2)  # type: ignore[misc]
        require(close(spread, variance, 1e-6, 1e-15), f"variance {spread}, stated {variance}")


def _rounding(mechanism: Mechanism, value: float, budget: Budget) -> float:
    """Probability lost to float64 at the edges of a narrow window far from 0."""
    edges = finite_edges(mechanism, value, budget)
    gaps = np.diff(edges)
    return 1e-15 * float(np.abs(edges).max() / gaps[gaps > 0].min()) if gaps.any() else 0.0


def check_worst_variance(mechanism: Mechanism, budget: Budget) -> None:
    """The variance never exceeds its stated maximum, and attains it."""
    epsilon, low, high = budget
    worst = float(mechanism.at(epsilon, low, high).max_variance)
    seen = mechanism.variance(np.linspace(low, high, 4001), epsilon, low, high)
    require(seen.max() <= worst * (1 + 1e-12) + 1e-300, f"a variance of {seen.max()}, stated {worst} at most")
    require(close(seen.max(), worst, 1e-4), f"a variance of {seen.max()} at most, stated {worst}")


def outputs_of(mechanism: Mechanism, budget: Budget, inputs: np.ndarray) -> np.ndarray:
    """Representative outputs: atoms, edges, and points between and beyond."""
    found = [np.empty(0)]
    for v in inputs:
        found.append(mechanism.at(*budget).atoms(v))
        edges = mechanism.at(*budget).edges(v)
        finite = edges[np.isfinite(edges)]
        found += [finite, (finite[1:] + finite[:-1]) / 2]
        if edges.size:
            width = budget[2] - budget[1]
            found.append(np.array([budget[1] - 5 * width, budget[2] + 5 * width]))
    every = np.unique(np.concatenate(found))
    return every[:: max(1, len(every) // MOST_OUTPUTS)]


def check_loss(mechanism: Mechanism, budget: Budget) -> None:
    """The loss between two inputs never exceeds the stated ε, and attains it."""
    inputs = np.linspace(*budget[1:], 41)
    stated = float(mechanism.privacy_loss(*budget))
    if mechanism.scope == "coordinate":
        where = outputs_of(mechanism, budget, inputs)
        table = mechanism.log_prob(where[:, None], inputs[None, :], *budget)
    else:  # every vector that can be sent, under every vector of ends
        low, high = budget[1:]
        ends = np.array(np.meshgrid(*[[low, (low + high) / 2, high]] * 3)).reshape(3, -1).T
        inputs_ = np.concatenate([ends, np.repeat(high, len(ends) * (VECTOR - 3)).reshape(len(ends), -1)], 1)
        sent = sent_by(mechanism, budget)
        table = mechanism.log_prob(sent[:, None, :], inputs_[None, :, :], *budget)
        off = np.abs(np.exp(table).sum(axis=0) - 1).max()
        require(off <= 1e-9, "probabilities do not add up to 1")
    possible = np.isfinite(table).any(axis=1)
    require(np.isfinite(table[possible]).all(), "an output that only some inputs can have")
    loss = float((table[possible].max(axis=1) - table[possible].min(axis=1)).max())
    require(loss <= stated * (1 + 1e-9), f"a loss of {loss}, stated {stated}")
    require(close(loss, stated, 1e-6), f"a loss of {loss} at most, stated {stated}")


def check_delta(mechanism: Mechanism, budget: Budget, target: float) -> None:
    """The stated δ is the largest excess of one probability over e^target times the other."""

    def excess(a: float, b: float) -> float:
        def over(y: np.ndarray) -> np.ndarray:
            ratio = mechanism.log_prob(y, b, *budget) - mechanism.log_prob(y, a, *budget)
            return np.maximum(0.0, -np.expm1(np.minimum(target + ratio, 0.0)))

        return expectation(mechanism, a, budget, over, cuts=mechanism.at(*budget).edges(b))

    low, high = budget[1:]
    stated = float(mechanism.delta(target, *budget))
    ends = max(excess(low, high), excess(high, low))
    require(close(ends, stated, 0, 2e-5), f"δ is {ends}, stated {stated}")
    inner = [excess(a, b) for a in (low + 0.2 * (high - low), 0.6 * high) for b in (low, 0.95 * high)]
    require(max(inner) <= stated + 2e-5, f"δ is {max(inner)}, stated {stated}")
