"""Everybody has limits of their own: what leaves the server least noise, and whose strictness costs whom?

A client's budget and safe range are read as limits: the largest ε that it accepts, and the widest range.
Noise falls with ε, so each is used to its limit. Noise grows with the range, so no client's is wider than the
weights need; one that accepts less has its weights clipped. Of all weights that sum to 1, those by
1/σ² leave least (Σw²σ² ≥ 1/Σ(1/σ²), by Cauchy and Schwarz). σ² is a client's largest variance over its range,
which depends on no client's data; all take part.
"""

from __future__ import annotations

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
    """The least noise within everybody's limits; arrays are of shape (K,), in client order."""

    experiment: Experiment
    """With these ranges, and weights by 1/σ²."""
    variance: Floats
    """σ², of each client's noise per weight, in the first round; what goes without noise has none."""
    clipped: int
    """Clients whose range is narrower than the weights need."""

    @cached_property
    def weights(self) -> Floats:
        """Aggregation weight of each client; they sum to 1."""
        return self._weights(BEST)

    @cached_property
    def left(self) -> dict[str, float]:
        """Remaining noise Σw²σ² per weight under each aggregator, at worst."""
        return {name: float(self._weights(name) ** 2 @ self.variance) for name in ALTERNATIVES}

    @cached_property
    def mid_range(self) -> dict[str, float]:
        """The same for weights in the middle of their ranges, over all rounds: as Noise has it."""
        return {
            name: server_noise(changed(self.experiment, {"aggregator": name})).heard for name in self.left
        }

    def if_like(self, variance: float, aggregator: str = BEST) -> Floats:
        """Per client: server noise if this client's variance were `variance`, relative to now, (K,)."""
        if aggregator == MEAN:
            return (_others(self.variance) + variance) / self.variance.sum()
        precision = 1 / self.variance
        found: Floats = precision.sum() / (_others(precision) + 1 / variance)
        return found

    def without(self, aggregator: str = BEST) -> Floats:
        """Per client: server noise without it, relative to now, (K,); infinite for a single client."""
        every = len(self.variance)
        if every == 1:
            return np.full(1, np.inf)
        if aggregator == MEAN:
            return _others(self.variance) / self.variance.sum() * (every / (every - 1)) ** 2
        precision = 1 / self.variance
        found: Floats = precision.sum() / _others(precision)
        return found

    @property
    def least(self) -> float:
        """σ² of the most permissive client."""
        return float(self.variance.min())

    @property
    def median(self) -> float:
        return float(np.median(self.variance))

    def _weights(self, name: str) -> Floats:
        return aggregators.get(name).weights(self.variance)


def allocate(experiment: Experiment, need: float | None = None) -> Allocation:
    """The least noise at the server within the clients' limits.

    Args:
        experiment: its clients' budgets and safe ranges are the limits.
        need: how far from 0 weights reach; no range is wider. None: every range stays at its limit.

    Raises:
        InvalidInput: the mechanism adds no noise, or none that can be predicted; or a `need` that leaves
            a client nothing.
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
        ends = _as_fields(low, high)
    made = changed(experiment, {"aggregator": BEST, "attack": None, **ends})
    noisy = made.tells.perturbed / made.uploaded
    return Allocation(made, noisy * worst_variance(made), clipped)


def _others(values: Floats) -> Floats:
    """Sum of all other values for each, (K,), without cancellation."""
    before = np.concatenate([[0.0], values[:-1].cumsum()])
    after = np.concatenate([values[:0:-1].cumsum()[::-1], [0.0]])
    found: Floats = before + after
    return found


def _as_fields(low: Floats, high: Floats) -> dict[str, Any]:
    if (low == -high).all():
        return {"clients.range": _short(high)}
    return {"clients.low": _short(low), "clients.high": _short(high)}


def _short(values: Floats) -> float | list[float]:
    return float(values[0]) if (values == values[0]).all() else [float(value) for value in values]
