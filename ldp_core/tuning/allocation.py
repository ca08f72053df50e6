"""Least noise at the server within the limits of each client, and the cost of each client's limits.

A client's budget and safe range are read as limits: largest ε and widest range. Noise falls with ε, so each ε
is at its limit. Noise grows with the range, so no range is wider than the weights need; a client with a
narrower one clips. Among weights that sum to 1, weights by 1/σ² leave least noise (Σw²σ² ≥ 1/Σ(1/σ²),
Cauchy–Schwarz). σ² is a client's largest variance over its range, independent of its data; all clients take
part.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ldp_core import aggregators
from ldp_core.errors import InvalidInput, shown
from ldp_core.experiment import Experiment, changed
from ldp_core.mechanisms.base import Floats
from ldp_core.theory import server_noise, worst_variance
from ldp_core.theory.server import unpredicted

MEAN = "mean"
BEST = "inverse_variance"
ALTERNATIVES = (BEST, "inverse_std", MEAN)


@dataclass(frozen=True)
class Allocation:
    """Least noise within the clients' limits; arrays have shape (K,), in client order."""

    experiment: Experiment
    """The experiment with the ranges of least noise, and weights by 1/σ²."""
    variance: Floats
    """Noise variance σ² of each client per weight in the first round; 0 for weights sent without noise."""
    clipped: int
    """Number of clients whose range is narrower than the weights need."""

    @cached_property
    def weights(self) -> Floats:
        """Aggregation weight of each client, (K,), with sum 1."""
        return self._weights(BEST)

    @cached_property
    def left(self) -> dict[str, float]:
        """Worst-case noise Σw²σ² per weight, by aggregator."""
        return {name: float(self._weights(name) ** 2 @ self.variance) for name in ALTERNATIVES}

    @cached_property
    def mid_range(self) -> dict[str, float]:
        """Noise variance per weight, by aggregator, for weights mid-range, over all rounds."""
        return {
            name: server_noise(changed(self.experiment, {"aggregator": name})).heard for name in self.left
        }

    def if_like(self, variance: float, aggregator: str = BEST) -> Floats:
        """Noise at the server with one client's variance changed, over the present, for each client, (K,)."""
        if aggregator == MEAN:
            return (_others(self.variance) + variance) / self.variance.sum()
        precision = 1 / self.variance
        return precision.sum() / (_others(precision) + 1 / variance)

    def without(self, aggregator: str = BEST) -> Floats:
        """Noise at the server without one client, relative to the present noise, for each client, (K,);
        infinite for a single client.
        """
        every = len(self.variance)
        if every == 1:
            return np.full(1, np.inf)
        if aggregator == MEAN:
            return _others(self.variance) / self.variance.sum() * (every / (every - 1)) ** 2
        precision = 1 / self.variance
        return precision.sum() / _others(precision)

    @property
    def least(self) -> float:
        """Least variance σ² over the clients."""
        return float(self.variance.min())

    @property
    def median(self) -> float:
        return float(np.median(self.variance))

    def _weights(self, name: str) -> Floats:
        return aggregators.get(name).weights(self.variance)


def allocate(experiment: Experiment, need: float | None = None) -> Allocation:
    """Least noise at the server within the clients' budgets and safe ranges; no range is wider than the
    largest magnitude of weights, `need`, if given. Raises InvalidInput: the mechanism adds no predictable
    noise, or `need` leaves a client no range.
    """
    if experiment.randomiser.role != "estimate":
        raise InvalidInput(
            f"there is no noise to be shared out: {experiment.mechanism.name} sends "
            f"{'votes' if experiment.randomiser.role == 'vote' else 'values as they are'}; choose another"
        )
    if why := unpredicted(changed(experiment, {"aggregator": BEST})):
        raise InvalidInput(f"no noise is predicted here, as {why}")
    low, high = experiment.clients.bounds()
    ends: dict[str, Any] = {}
    clipped = 0
    if need is not None:
        if not (math.isfinite(need) and need > 0):
            raise InvalidInput(f"how far weights reach must be a number above 0; got {shown(need)}")
        outside = (low >= need) | (high <= -need)
        if outside.any():
            i = int(outside.argmax())
            raise InvalidInput(
                f"client {i + 1} accepts weights between {low[i]:g} and {high[i]:g} only, and none are there "
                f"if they reach ±{need:g}; take a larger one"
            )
        clipped = int(((low > -need) | (high < need)).sum())
        low, high = np.maximum(low, -need), np.minimum(high, need)
        ends = {"clients.low": _short(low), "clients.high": _short(high)}
        if (low == -high).all():
            ends = {"clients.range": _short(high)}
    made = changed(experiment, {"aggregator": BEST, "attack": None, **ends})
    noisy = made.tells.perturbed / made.uploaded
    return Allocation(made, noisy * worst_variance(made), clipped)


def _others(values: Floats) -> Floats:
    """Sum of all other values for each, (K,), without cancellation."""
    before = np.concatenate([[0.0], values[:-1].cumsum()])
    after = np.concatenate([values[:0:-1].cumsum()[::-1], [0.0]])
    return before + after


def _short(values: Floats) -> float | list[float]:
    return float(values[0]) if (values == values[0]).all() else [float(value) for value in values]
