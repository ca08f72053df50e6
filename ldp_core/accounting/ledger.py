"""The ledger: for every client, what its budget covers and what it adds up to.

Four numbers, none of them called a total: ε for one coordinate of one upload, for one upload, for
the run as expected, and for the run at worst. Two inputs are neighbours if both lie in the client's
safe range: nothing is assumed about them but that.
"""

from __future__ import annotations

import math
from typing import Any

from ldp_core.accounting.compose import compose_counts
from ldp_core.experiment import Experiment, parse
from ldp_core.mechanisms.base import Mechanism

DELTA = 1e-5
"""The δ at which sums of many uses are bounded."""

RULES = {
    "basic": "the sum over all uses, which an attacker can reach",
    "optimal": "the exact worst case of equal pure budgets at this δ (Kairouz, Oh and Viswanath 2015)",
    "rdp": "Rényi divergences, converted at this δ",
}
NO_NOISE = "values are sent without noise"


def ledger(experiment: Experiment | dict[str, Any]) -> list[dict[str, Any]]:
    """One entry for each client, in client order.

    Each entry has `coordinate`, `upload`, `run_expected` and `run_worst`; each of these has
    `epsilon` (the smallest valid bound, null where there is none), its `delta`, the `rule` that gave
    it, `basic` (the plain sum, δ = 0), whether there is a `guarantee`, and `why`.

    Raises:
        InvalidExperiment: `experiment` is a dict that cannot run.
    """
    experiment = parse(experiment)
    population = experiment.population()
    mechanism = experiment.randomiser
    expected = experiment.selection.expected_uploads(experiment.clients.count, experiment.rounds)
    worst = experiment.selection.most_uploads(experiment.clients.count, experiment.rounds)
    d = experiment.dimension
    uses = {
        "coordinate": 1,
        "upload": d,
        # an average number of uploads need not be whole; the bound is for the next whole use
        "run_expected": math.ceil(expected * d - 1e-9),
        "run_worst": worst * d,
    }
    entries: dict[tuple[float, float, float], dict[str, Any]] = {}
    clients = list(
        zip(population.epsilon.tolist(), population.low.tolist(), population.high.tolist(), strict=True)
    )
    for client in set(clients):
        entries[client] = {scope: _line(mechanism, *client, k) for scope, k in uses.items()}
    return [entries[client] for client in clients]


def _line(mechanism: Mechanism, epsilon: float, low: float, high: float, uses: int) -> dict[str, Any]:
    loss = float(mechanism.privacy_loss(epsilon, low, high))
    if not math.isfinite(loss):
        return {
            "epsilon": None,
            "delta": 0.0,
            "rule": "none",
            "basic": None,
            "guarantee": False,
            "why": NO_NOISE,
        }
    bound = compose_counts((loss,), (uses,), 0.0 if uses == 1 else DELTA)
    return bound | {"guarantee": True, "why": RULES[bound["rule"]]}
