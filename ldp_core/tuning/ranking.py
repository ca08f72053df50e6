"""Mechanisms and aggregators ranked by formula: noise in the aggregate, and ε of the run.

Without data, model or draft: clients, weights, budgets and a safe range suffice.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ldp_core import aggregators, mechanisms
from ldp_core.accounting import Promise, Spending
from ldp_core.aggregators.base import NoiseMoments
from ldp_core.composition.backwards import budgets_of_uses
from ldp_core.errors import InvalidInput
from ldp_core.limits import number
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.systems import Release, Sent

GROUPS = 24
"""Number of evenly spaced budgets that stand for all clients."""


@dataclass(frozen=True)
class AssumedClients:
    """A population of clients without data."""

    clients: int
    weights: int
    """Number of weights of an upload."""
    lowest: float
    highest: float
    """Largest budget; budgets are evenly spaced."""
    half: float
    """τ: every safe range is [−τ, τ]."""
    rounds: int
    scope: str
    """What a budget covers, as `Clients.epsilon_scope`."""


@dataclass(frozen=True)
class Ranked:
    mechanism: Mechanism
    noise: Mapping[str, float]
    """σ per weight of the aggregate for weights in mid-range, by the aggregator's name."""
    strict: Promise
    """Guarantee of the whole run for the client with the smallest budget …"""
    generous: Promise
    """… and for the client with the largest."""

    @property
    def least(self) -> float:
        return min(self.noise.values())


def ranking(asked: AssumedClients) -> list[Ranked]:
    """Mechanisms with aggregators by remaining noise, without those that cannot keep the budgets or whose
    noise changes over rounds. Raises InvalidInput: the smallest budget exceeds the largest.
    """
    if asked.lowest > asked.highest:
        raise InvalidInput(
            f"the smallest budget is {number(asked.lowest, 6)} and the largest {number(asked.highest, 6)}"
        )
    found = []
    for name in mechanisms.offered():
        mechanism = mechanisms.get(name)
        made = mechanism if asked.scope == "mechanism" else mechanism.for_uploads()
        if made.region == "ball":  # as long as an upload is whose weights spread evenly over the range
            made = made.model_copy(update={"norm": asked.half * math.sqrt(asked.weights / 3)})
        first, last = (
            made.fitted(Use(asked.weights, asked.rounds, at, asked.rounds)) for at in (1, asked.rounds)
        )
        if mechanism.role == "estimate" and first == last:
            try:
                found.append(_ranked(asked, first))
            except InvalidInput:
                continue
    return sorted(found, key=lambda one: one.least)


def _ranked(asked: AssumedClients, made: Mechanism) -> Ranked:
    uses = asked.weights if made.scope == "coordinate" else 1
    releases = ((asked.rounds, Release(made, uses, Sent(asked.weights))),)
    budgets = np.linspace(asked.lowest, asked.highest, min(asked.clients, GROUPS))
    ends = np.full_like(budgets, -asked.half), np.full_like(budgets, asked.half)
    if asked.scope == "run":  # between the two ends, where both costs and uses are almost powers of ε
        known = np.array([asked.lowest, math.sqrt(asked.lowest * asked.highest), asked.highest])
        solved = budgets_of_uses(releases, asked.rounds, known, *(end[0].repeat(3) for end in ends))
        budgets = np.exp(np.interp(np.log(budgets), np.log(known), np.log(solved)))
    elif asked.scope == "upload":
        budgets = budgets / uses
    law = made.at(*(values[:, None] for values in (budgets, *ends)))
    upload = np.tile([0.0, asked.half], (len(budgets), 1))  # one weight in the middle, one at the end
    mean, variance = (np.asarray(moment, np.float64)[:, 0] for moment in law.moments(upload))
    worst = np.asarray(law.weighing_variance, np.float64)[:, 0]
    sizes, here = np.ones_like(worst), np.ones(len(worst), bool)
    noise = {}
    for name in aggregators.names():
        aggregator = aggregators.get(name)
        if aggregator.unpredicted or aggregator.weighs_by_size:
            continue
        weights, squares, _ = aggregator.moments(worst)
        if np.allclose(squares, weights**2):  # or else weights are drawn anew in each round
            left, _ = aggregator.noise(NoiseMoments(variance, mean), worst, sizes, here)
            # each of these clients stands for as many as there are more of
            noise[name] = math.sqrt(float(left) * len(budgets) / asked.clients)
    spending = Spending(releases)
    cost = [spending.uploads((float(budgets[i]), -asked.half, asked.half), asked.rounds) for i in (0, -1)]
    return Ranked(made, noise, *cost)
