"""The ledger: for every client, what its budget covers and what it adds up to.

Four numbers, none of them called a total: ε for one coordinate of one upload, for one upload, for
the run as expected, and for the run at worst. Two inputs are neighbours if both lie in the client's
safe range: nothing is assumed about them but that.

Three of the four are bounds. What the run costs on average is the price of an average number of
uploads: where who uploads is drawn by lot, about half of the clients may spend more, so that line
claims no guarantee. What a stated share of the clients spends at most is what `within` gives.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ldp_core.accounting.entry import Entry, Promise
from ldp_core.accounting.spending import Client, Spending
from ldp_core.accounting.table import each_as_json
from ldp_core.experiment import Experiment, parse

SHARE = 0.95
"""Of the clients, whose uploads `within` bounds."""
AVERAGE = (
    "the price of {:.4g} uploads, an average number of them, and no bound: a client may upload more often"
)


def ledger(
    experiment: Experiment | dict[str, Any], clients: Iterable[int] | None = None
) -> list[dict[str, Any]]:
    """`entries` as JSON: objects with the fields of `Entry`, each an object with those of `Promise`.

    Raises:
        InvalidExperiment: `experiment` is a dict that cannot run.
    """
    return each_as_json(entries(parse(experiment), clients))


def entries(experiment: Experiment, clients: Iterable[int] | None = None) -> list[Entry]:
    """One for each client (or each of some `clients`), in order; equal ones are one object."""
    everybody, limits = everyone(experiment), experiment.clients.run_limits().tolist()
    known: dict[tuple[Client, float], Entry] = {}
    found = []
    for i in range(experiment.clients.count) if clients is None else clients:
        key = (everybody[i], limits[i])
        if key not in known:
            known[key] = promise(experiment, *key)
        found.append(known[key])
    return found


def promise(experiment: Experiment, client: Client, limit: float = math.inf) -> Entry:
    """The entry of a client with this budget and range, and with its own limit for the run."""
    spending = Spending(experiment.releases)
    expected = experiment.selection.expected_uploads(experiment.clients.count, experiment.rounds)
    most = _most(experiment, client, limit)
    price = spending.uploads(client, min(expected, most))
    if expected < most and price.guarantee:
        price = replace(price, guarantee=False, why=AVERAGE.format(expected))
    entry = Entry(
        coordinate=spending.coordinate(client),
        upload=spending.uploads(client, 1),
        run_expected=price,
        run_worst=spending.uploads(client, most),
    )
    learnt = experiment.source.learnt
    return entry.not_counting(learnt) if learnt else entry


def within(
    experiment: Experiment, client: Client, limit: float = math.inf, share: float = SHARE
) -> tuple[int, Promise]:
    """Upload count exceeded with probability 1 − `share` at most, and the promise for that many."""
    often = experiment.selection.uploads_quantile(experiment.clients.count, experiment.rounds, share)
    often = min(often, _most(experiment, client, limit))
    return often, Spending(experiment.releases).uploads(client, often)


def _most(experiment: Experiment, client: Client, limit: float) -> int:
    """The uploads of a client in the worst case, within its own limit."""
    if math.isinf(limit):
        return experiment.most_uploads
    return min(experiment.most_uploads, Spending(experiment.releases).affordable(client, limit))


def everyone(experiment: Experiment) -> list[Client]:
    """Each client's budget and safe range."""
    population = experiment.population()
    columns = (population.epsilon.tolist(), population.low.tolist(), population.high.tolist())
    return list(zip(*columns, strict=True))
