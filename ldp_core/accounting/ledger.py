"""The privacy ledger: each client's guarantees, in four scopes; and the ε that keeps a run's within a budget.

ε for one coordinate of one upload, for one upload, for the run's expected number of uploads (no bound where
participation is random: about half of the clients exceed it), and for the run's largest number. Two inputs
are neighbours if both lie in the client's safe range; where ε is a record's, if one record is exchanged for
any other, so that the numbers of records are public.
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ldp_core.accounting.table import each_as_json
from ldp_core.composition.backwards import largest
from ldp_core.composition.entry import SOME, Entry, Promise
from ldp_core.composition.spending import Client
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Experiment, changed, parse
from ldp_core.limits import EPSILON, at_least, at_most, number

SHARE = 0.95
"""Share of the clients whose number of uploads `within` bounds."""
AVERAGE = "the price of {} uploads, an average number of them, and no bound: a client may upload more often"


def ledger(
    experiment: Experiment | dict[str, Any], clients: Iterable[int] | None = None
) -> list[dict[str, Any]]:
    """`entries` as JSON, with the fields of `Entry` and `Promise`; raises `InvalidExperiment`."""
    return each_as_json(entries(parse(experiment), clients))


def entries(experiment: Experiment, clients: Iterable[int] | None = None) -> list[Entry]:
    """Entry of each client (or of each of `clients`), in order; equal entries are one object."""
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
    """Entry of a client with this ε and range, and with its own limit on the run's ε."""
    spending = experiment.prices
    expected = experiment.selection.expected_uploads(experiment.clients.count, experiment.rounds)
    most = _most(experiment, client, limit)
    price = spending.uploads(client, min(expected, most))
    if expected < most and price.guarantee:
        price = replace(price, guarantee=False, why=AVERAGE.format(number(expected, 4)))
    entry = Entry(
        coordinate=spending.coordinate(client),
        upload=spending.uploads(client, 1),
        run_expected=price,
        run_worst=spending.uploads(client, most),
        against=experiment.trust.against,
    )
    if experiment.unit == "record":
        some, whole = (
            replace(spending, together=rows).uploads(client, most)
            for rows in (SOME, math.ceil(experiment.records))
        )
        entry = replace(entry, unit="record", some=some, whole=whole)
    learnt = experiment.source.learnt
    return entry.not_counting(learnt) if learnt else entry


def within(experiment: Experiment, client: Client, limit: float = math.inf) -> tuple[int, Promise]:
    """Number of uploads exceeded with probability at most 1 − `SHARE`, and the guarantee for that number."""
    often = experiment.selection.uploads_quantile(experiment.clients.count, experiment.rounds, SHARE)
    often = min(often, _most(experiment, client, limit))
    return often, experiment.prices.uploads(client, often)


def _most(experiment: Experiment, client: Client, limit: float) -> int:
    """Largest number of uploads of a client, within its own limit."""
    if math.isinf(limit):
        return experiment.most_uploads
    return min(experiment.most_uploads, experiment.prices.affordable(client, limit))


def everyone(experiment: Experiment) -> list[Client]:
    """(ε, low, high) of each client."""
    population = experiment.population()
    columns = (population.epsilon.tolist(), population.low.tolist(), population.high.tolist())
    return list(zip(*columns, strict=True))


def least_promised(experiment: Experiment) -> Client:
    """Client with the largest loss of one use, in the smallest heap where messages are mixed."""
    people = experiment.population()
    law = experiment.releases[0][1].mechanism.at(people.epsilon, people.low, people.high)
    heaps = experiment.trust.heaps(experiment)
    place = np.lexsort((heaps[1] if heaps else people.low, -(law.loss if law.mu is None else law.mu)))[0]
    return float(people.epsilon[place]), float(people.low[place]), float(people.high[place])


def run_budget(experiment: Experiment) -> float:
    """Worst-case ε of a client's whole run, whose own limit is ignored; infinite if unbounded."""
    return promise(experiment, least_promised(experiment)).run_worst.bound


def epsilon_for(experiment: Experiment, budget: float) -> float:
    """Largest ε, equal for all clients, with at most `budget` as `run_budget`, up to `backwards.TOLERANCE`.

    Raises:
        InvalidInput: no ε within its limits gives this run ε.
    """

    def cost(epsilon: float) -> float:
        return run_budget(changed(experiment, {"clients.epsilon": epsilon}))

    least, most = cost(EPSILON.minimum), cost(EPSILON.maximum)
    if not least <= budget <= most or math.isinf(least):
        raise InvalidInput(
            f"the budget of the run must lie between {at_most(least, 4)} and {at_least(most, 4)}, which an ε "
            f"{EPSILON} costs; got {number(budget, 6)}; take more or fewer rounds, or another budget"
        )
    return largest(cost, budget, EPSILON.minimum)
