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

from ldp_core.accounting.ledger_entry import SOME, Entry, each_as_json
from ldp_core.composition.backwards import largest
from ldp_core.composition.spending import Client
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Experiment, Plan, changed, parse, plan
from ldp_core.limits import EPSILON, at_least, at_most, number

AVERAGE = "the price of {} uploads, an average number of them, and no bound: a client may upload more often"


def ledger(
    experiment: Experiment | dict[str, Any], clients: Iterable[int] | None = None
) -> list[dict[str, Any]]:
    """`entries` as JSON, with the fields of `Entry` and `Promise`; raises `InvalidExperiment`."""
    return each_as_json(entries(plan(parse(experiment)), clients))


def entries(plan: Plan, clients: Iterable[int] | None = None) -> list[Entry]:
    """Entry of each client (or of each of `clients`), in order; equal entries are one object."""
    everybody, limits = everyone(plan), plan.experiment.clients.run_limits().tolist()
    known: dict[tuple[Client, float, int | None], Entry] = {}
    drawn = None if plan.turns.counts is None else plan.turns.counts.tolist()
    found = []
    for i in range(plan.experiment.clients.count) if clients is None else clients:
        key = everybody[i], limits[i], drawn and drawn[i]
        if key not in known:
            known[key] = promise(plan, *key)
        found.append(known[key])
    return found


def promise(plan: Plan, client: Client, limit: float = math.inf, drawn: int | None = None) -> Entry:
    """Entry of a client with this ε and range, with its own limit on the run's ε, and with its number of
    uploads where budgets decide that; without it one a round at worst.
    """
    experiment, spending = plan.experiment, plan.prices
    most = _most(plan, client, limit) if drawn is None else drawn
    expected = plan.turns.expected if drawn is None else drawn
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
        persons = plan.source.rows_each
        some, whole = (
            replace(spending, together=rows).uploads(client, most)
            for rows in (persons or SOME, math.ceil(plan.records))
        )
        entry = replace(entry, unit="record", some=some, whole=whole, persons=persons)
    learnt = plan.source.learnt
    return entry.not_counting(learnt) if learnt else entry


def _most(plan: Plan, client: Client, limit: float) -> int:
    """Largest number of uploads of a client, within its own limit."""
    if math.isinf(limit):
        return plan.most_uploads
    return min(plan.most_uploads, plan.prices.affordable(client, limit))


def everyone(plan: Plan) -> list[Client]:
    """(ε, low, high) of each client."""
    population = plan.population
    columns = (population.epsilon.tolist(), population.low.tolist(), population.high.tolist())
    return list(zip(*columns, strict=True))


def least_promised(plan: Plan) -> Client:
    """Client with the largest loss of one use, in the smallest heap where messages are mixed."""
    people = plan.population
    law = plan.releases[0][1].mechanism.at(people.epsilon, people.low, people.high)
    heaps = plan.experiment.trust.heaps(plan.terms)
    place = np.lexsort((heaps[1] if heaps else people.low, -(law.loss if law.mu is None else law.mu)))[0]
    return people.of(int(place))


def run_budget(plan: Plan) -> float:
    """Worst-case ε of a client's whole run, whose own limit is ignored; infinite if unbounded."""
    return promise(plan, least_promised(plan)).run_worst.bound


def epsilon_for(experiment: Experiment, budget: float) -> float:
    """Largest ε, equal for all clients, with at most `budget` as `run_budget`, up to `backwards.TOLERANCE`.

    Raises:
        InvalidInput: no ε within its limits gives this run ε.
    """

    def cost(epsilon: float) -> float:
        return run_budget(plan(changed(experiment, {"clients.epsilon": epsilon})))

    least, most = cost(EPSILON.minimum), cost(EPSILON.maximum)
    if not least <= budget <= most or math.isinf(least):
        raise InvalidInput(
            f"the budget of the run must lie between {at_most(least, 4)} and {at_least(most, 4)}, which an ε "
            f"{EPSILON} costs; got {number(budget, 6)}; take more or fewer rounds, or another budget"
        )
    return largest(cost, budget, EPSILON.minimum)
