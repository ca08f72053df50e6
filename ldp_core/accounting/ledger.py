"""The ledger: for every client, what its budget covers and what it adds up to.

Four numbers, none of them called a total: ε for one coordinate of one upload, for one upload, for
the run as expected, and for the run at worst. Two inputs are neighbours if both lie in the client's
safe range: nothing is assumed about them but that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ldp_core.accounting.spending import Client, Spending
from ldp_core.experiment import Experiment, parse


def ledger(
    experiment: Experiment | dict[str, Any], clients: Iterable[int] | None = None
) -> list[dict[str, Any]]:
    """One entry for each client (or each of some `clients`), in order.

    Each entry has `coordinate`, `upload`, `run_expected` and `run_worst`; each of these has
    `epsilon` (the smallest valid bound, null where there is none), its `delta`, the `rule` that gave
    it, `basic` (the plain sum), whether there is a `guarantee`, and `why`.

    Raises:
        InvalidExperiment: `experiment` is a dict that cannot run.
    """
    experiment = parse(experiment)
    everybody, limits = everyone(experiment), experiment.clients.run_limits().tolist()
    known: dict[tuple[Client, float], dict[str, Any]] = {}
    found = []
    for i in range(experiment.clients.count) if clients is None else clients:
        key = (everybody[i], limits[i])
        if key not in known:
            known[key] = promise(experiment, *key)
        found.append(known[key])
    return found


def promise(experiment: Experiment, client: Client, limit: float = math.inf) -> dict[str, Any]:
    """The entry of a client with this budget and range, and with its own limit for the run."""
    spending = Spending(experiment)
    count, rounds = experiment.clients.count, experiment.rounds
    expected = experiment.selection.expected_uploads(count, rounds)
    most = experiment.selection.most_uploads(count, rounds)
    if math.isfinite(limit):
        most = min(most, spending.affordable(client, limit))
    return {
        "coordinate": spending.coordinate(client),
        "upload": spending.uploads(client, 1),
        "run_expected": spending.uploads(client, min(expected, most)),
        "run_worst": spending.uploads(client, most),
    }


def everyone(experiment: Experiment) -> list[Client]:
    """Each client's budget and safe range."""
    population = experiment.population()
    columns = (population.epsilon.tolist(), population.low.tolist(), population.high.tolist())
    return list(zip(*columns, strict=True))
