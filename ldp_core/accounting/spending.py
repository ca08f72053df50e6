"""What a number of uploads costs one client, by the best rule that applies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ldp_core.accounting.compose import compose_counts
from ldp_core.accounting.own_law import own_epsilon
from ldp_core.experiment import Experiment
from ldp_core.normal import epsilon_of

DELTA = 1e-5
"""The δ at which sums of many uses, and Gaussian noise, are bounded."""
GAIN = 1e-3
"""What a bound must save over a simpler one to be worth its rule, and its δ."""

RULES = {
    "basic": "the sum over all uses, which an attacker can reach",
    "optimal": "the exact worst case of equal pure budgets at this δ (Kairouz, Oh and Viswanath 2015)",
    "own_law": "composed by this mechanism's own law at this δ, which may tell more than its ε alone",
    "rdp": "Rényi divergences, converted at this δ",
    "gaussian": "Gaussian noise exactly at this δ: uses add up as the root of the sum of squares",
    "nominal": "the paper's nominal ε, summed; the corrected form counts what is really sent",
}
NO_NOISE = "values are sent without noise"
IN_CLEAR = "what is sent depends on private data in a way that no ε bounds"

Client = tuple[float, float, float]
"""epsilon, low, high"""


@dataclass(frozen=True)
class Spending:
    """The promises of an experiment's mechanism to a client, for any number of uploads."""

    experiment: Experiment

    def coordinate(self, client: Client) -> dict[str, Any]:
        """For one weight of one upload."""
        mechanism = self.experiment.randomiser
        mu = mechanism.mu(*client)
        if mu is not None:
            whole = self.experiment.dimension if mechanism.scope == "upload" else 1
            return _gaussian(float(mu) ** 2 / whole, 1)
        return self._pure(client, 1)

    def uploads(self, client: Client, count: float) -> dict[str, Any]:
        """For `count` uploads; an average number of them need not be whole.

        Noise that changes from round to round is counted from the first round on.
        """
        mechanism = self.experiment.randomiser
        if count <= 0:
            return _line(0.0, 0.0, "basic", 0.0, generic=0.0)
        if mechanism.mu(*client) is None:
            # the bound is for the next whole use
            return self._pure(client, math.ceil(count * self.experiment.uses_per_upload - 1e-9))
        squares = self._squares(client)
        whole = int(count)
        spent = squares[:whole].sum() + (count - whole) * squares[min(whole, len(squares) - 1)]
        return self._normal(spent, count)

    def again(self, client: Client, times: int) -> dict[str, Any]:
        """For an upload's values that are sent `times` over in one round, which may be more than a run has.

        Of noise that changes from round to round, the first round's tells most.
        """
        if self.experiment.randomiser.mu(*client) is None:
            return self.uploads(client, times)
        return self._normal(times * float(self._squares(client)[0]), times)

    def _normal(self, squares: float, count: float) -> dict[str, Any]:
        """For `count` uploads whose μ², each for one use, add up to `squares`."""
        each = self.experiment.dimension if self.experiment.randomiser.scope == "coordinate" else 1
        return _gaussian(squares * each, math.ceil(count * each - 1e-9))

    def affordable(self, client: Client, limit: float) -> int:
        """How many uploads of the run stay within a client's own `limit`."""
        low, high = 0, self.experiment.rounds + 1
        while high - low > 1:
            middle = (low + high) // 2
            line = self.uploads(client, middle)
            fits = line["guarantee"] and line["epsilon"] <= limit
            low, high = (middle, high) if fits else (low, middle)
        return low

    def _pure(self, client: Client, uses: int) -> dict[str, Any]:
        mechanism = self.experiment.randomiser
        loss, exact = float(mechanism.ledger_loss(*client)), float(mechanism.privacy_loss(*client))
        if not math.isfinite(loss):
            why = NO_NOISE if mechanism.name == "none" else IN_CLEAR
            return _line(None, 0.0, "none", None, why)
        if loss != exact:  # a paper's own figure, which may be too small
            return _line(loss * uses, 0.0, "nominal", loss * uses) | {"guarantee": loss >= exact}
        basic = generic = loss * uses
        if uses == 1:
            return _line(loss, 0.0, "basic", basic, generic=generic)
        found = _line(basic, 0.0, "basic", basic)
        optimal = compose_counts((loss,), (uses,), DELTA)["epsilon"]
        if optimal <= basic * (1 - GAIN):
            generic, found = optimal, _line(optimal, DELTA, "optimal", basic)
        own = own_epsilon(mechanism, *client, uses, DELTA)
        if own <= generic * (1 - GAIN):
            found = _line(own, DELTA, "own_law", basic)
        return found | {"generic": generic}

    def _squares(self, client: Client) -> np.ndarray:
        """μ² of one use in each round."""
        return _squares(self.experiment, client)


@lru_cache(maxsize=4096)
def _squares(experiment: Experiment, client: Client) -> np.ndarray:
    first = experiment.pieces(1)[0].mechanism
    if first == experiment.pieces(2)[0].mechanism:
        return np.full(experiment.rounds, float(first.mu(*client)) ** 2)
    rounds = range(1, experiment.rounds + 1)
    return np.array([float(experiment.pieces(r)[0].mechanism.mu(*client)) ** 2 for r in rounds])


def _gaussian(squares: float, uses: int) -> dict[str, Any]:
    """Uses whose μ² add up to `squares`; the plain sum gives each of them its share of δ."""
    epsilon = float(epsilon_of(DELTA, math.sqrt(squares)))
    basic = uses * float(epsilon_of(DELTA / uses, math.sqrt(squares / uses)))
    return _line(epsilon, DELTA, "gaussian", max(basic, epsilon))


def _line(
    epsilon: float | None,
    delta: float,
    rule: str,
    basic: float | None,
    why: str = "",
    generic: float | None = None,
) -> dict[str, Any]:
    return {
        "epsilon": epsilon,
        "delta": delta,
        "rule": rule,
        "basic": basic,
        "generic": generic,
        "guarantee": epsilon is not None,
        "why": why or RULES[rule],
    }
