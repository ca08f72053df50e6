"""Random experiments over all fields, and their rounds as they are drawn: an oracle for the noise."""

from typing import Any

import numpy as np

from ldp_core import aggregators, datasets, mechanisms
from ldp_core.accounting import Spending, everyone
from ldp_core.experiment import Experiment, plan
from ldp_core.federated.upload import perturbed
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream

SOME = 64
"""Weights that stand for all, where each has noise of its own."""


def random_experiment(generator: np.random.Generator) -> dict[str, Any]:
    """Any mechanism, form, aggregator, selection, partition, population, range, target and limit."""

    def one(*choices: Any) -> Any:
        return choices[int(generator.integers(len(choices)))]

    count = int(generator.integers(1, 25))
    epsilon = one(
        float(np.exp(generator.uniform(-2, 2.3))),
        np.exp(generator.uniform(-2, 2.3, count)).round(3).tolist(),
        generator.choice([0.5, 1.0, 8.0], count).tolist(),
        "two_volunteers",
        "half_and_half",
        "heavy_tailed",
    )
    low = generator.uniform(-1, 0.2, count).round(3)
    high = low + generator.uniform(0.1, 1.5, count).round(3)
    clients: dict[str, Any] = {"count": count, "epsilon": epsilon} | one(
        {},
        {"range": one(0.05, 1.0, "tau1", "tau2")},
        {"low": float(low[0]), "high": float(high[0])},
        {"low": low.tolist(), "high": high.tolist()},
    )
    mechanism = one(*mechanisms.offered())
    forms = mechanisms.get(mechanism).forms
    own = {"gaussian": {"calibration": one("analytic", "classical", "paper001")}}.get(mechanism, {})
    if "per" in mechanisms.get(mechanism).parameters() and generator.random() < 0.3:
        own["per"] = "upload"
    if generator.random() < 0.15:
        clients["epsilon_scope"] = "upload"
    rounds = int(one(1, 3, 15, 60))
    if generator.random() < 0.35:
        clients["run_limit"] = one(
            float(np.exp(generator.uniform(2, 11))), np.exp(generator.uniform(2, 11, count)).tolist()
        )
    return {
        "clients": clients,
        "mechanism": {"name": mechanism, **own},
        "form": one(*forms),
        "aggregator": _aggregator(one(*aggregators.names()), generator),
        "selection": one(
            {"kind": "all"},
            {"kind": "fraction", "fraction": one(0.05, 0.3, 0.5, 0.9)},
            {"kind": "once" if rounds <= count else "all"},
        ),
        "partition": one({"kind": "iid"}, {"kind": "dirichlet", "alpha": one(0.1, 1.0)}),
        "model": one("logistic_regression", {"name": "mlp", "hidden": 4}),
        "target": one("weights", "update"),
        "rounds": rounds,
        "seed": int(generator.integers(1000)),
    }


def _aggregator(name: str, generator: np.random.Generator) -> dict[str, Any]:
    """With a variance between clients now and then, where there is such a parameter."""
    has = "between" in aggregators.get(name).parameters()
    return {"name": name, "between": 0.3} if has and generator.random() < 0.2 else {"name": name}


def measured(experiment: Experiment, draws: int, generator: np.random.Generator) -> Floats:
    """(draws,): the mean square of the noise in the aggregate of mid-range weights.

    Each draw is a round of a run of its own: its number uniform, with everything before it that matters
    (who has uploaded how often) drawn as a run draws it.
    """
    population, count = plan(experiment).population, experiment.clients.count
    labels = datasets.get(experiment.dataset).train_labels(datasets.data_dir())
    assert labels is not None
    shards = experiment.partition.split(labels, count, stream(experiment.seed, "partition"))
    held = np.array([len(shard) for shard in shards], dtype=np.float64)
    spending, limits = Spending(plan(experiment).releases), experiment.clients.run_limits()
    most = np.array([spending.affordable(c, x) if np.isfinite(x) else experiment.rounds
                     for c, x in zip(everyone(plan(experiment)), limits.tolist(), strict=True)])  # fmt: skip
    limited = bool((most < experiment.rounds).any())
    facts = {}
    found = np.zeros(draws)
    for i in range(draws):
        number = int(generator.integers(1, experiment.rounds + 1))
        sent, run = np.zeros(count, dtype=np.int64), int(generator.integers(2**62))
        for before in range(1, number if limited else 1):
            chosen = experiment.selection.choose(count, run, before, experiment.rounds)
            sent[chosen[sent[chosen] < most[chosen]]] += 1
        chosen = experiment.selection.choose(count, run, number, experiment.rounds)
        chosen = chosen[sent[chosen] < most[chosen]]
        if number not in facts:
            pieces, ends = (
                plan(experiment).pieces(number),
                (population.epsilon, population.low, population.high),
            )
            shares = [piece.size / plan(experiment).dimension for piece in pieces]
            worst = sum(
                s * p.mechanism.at(*ends).weighing_variance for s, p in zip(shares, pieces, strict=True)
            )
            facts[number] = pieces, np.asarray(worst)
        if len(chosen):
            found[i] = _round(experiment, chosen, *facts[number], held, population, generator)
    return found


def _round(
    experiment: Experiment,
    chosen: np.ndarray,
    pieces: Any,
    worst: Floats,
    held: Floats,
    population: Any,
    generator: np.random.Generator,
) -> float:
    weights = experiment.aggregator.weights(
        worst[chosen], held[chosen], experiment.aggregator.between, generator
    )
    if not weights.any():
        return 0.0
    columns = population.columns(chosen)
    alike = len(pieces) == 1 and pieces[0].mechanism.scope == "coordinate"
    width = SOME if alike else plan(experiment).dimension
    values = np.broadcast_to((columns[1] + columns[2]) / 2, (len(chosen), width)).copy()
    if experiment.mechanism.region == "ball":  # of an upload as long as the ball allows
        values[:] = experiment.mechanism.parameters()["norm"] / np.sqrt(width)
    by_the_largest = experiment.mechanism.name == "piecewise"  # as printed, it sets the scale
    if by_the_largest:
        values[:, -1] = columns[2][:, 0]
    noise = weights @ (perturbed(pieces, values, columns, generator) - values)
    return float((noise[: -1 if by_the_largest else None] ** 2).mean())
