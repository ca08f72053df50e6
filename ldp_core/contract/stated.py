"""Consistency of a stated law: total probability, moments, loss and δ, integrated from its density."""

import numpy as np

from ldp_core.contract.in_use import Broken, require
from ldp_core.contract.integrals import Budget, expectation, finite_edges
from ldp_core.mechanisms import Mechanism

VECTOR = 8
"""Number of weights of a vector, for mechanisms on whole vectors."""
MOST_OUTPUTS = 20_000
"""Number of outputs under which a loss is looked for; of more, evenly many."""


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
