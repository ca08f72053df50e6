"""What can be said before any training: the server's noise, exactly, from public facts alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_core.aggregators.base import WeighsByNoise
from ldp_core.experiment import Experiment
from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.base import Floats


def client_variance(experiment: Experiment, round: int = 1) -> Floats:
    """The variance of each client's noise per weight for a weight at its range's centre, (K,).

    It depends a little on the weight itself; trained weights lie near the centre of most ranges.
    Where layers differ, it is the mean over all weights.
    """
    population = experiment.population()
    centre = (population.low + population.high) / 2
    return _over_pieces(
        experiment,
        round,
        lambda m: m.variance(centre, population.epsilon, population.low, population.high),
    )


def worst_variance(experiment: Experiment, round: int = 1) -> Floats:
    """The largest variance over each client's safe range, (K,): what the server weights by."""
    population = experiment.population()
    return _over_pieces(
        experiment, round, lambda m: m.max_variance(population.epsilon, population.low, population.high)
    )


def _over_pieces(experiment: Experiment, round: int, variance: Callable[[Mechanism], Any]) -> Floats:
    total = np.zeros(experiment.clients.count)
    for piece in experiment.pieces(round):
        total += piece.size / experiment.dimension * variance(piece.mechanism)
    return total


def client_weights(experiment: Experiment) -> Floats:
    """The weight of each client when all take part and have the same data, on average, (K,)."""
    return _moments(experiment)[0]


def nobody(experiment: Experiment) -> float:
    """The chance that a round is empty because the aggregator draws nobody."""
    return _moments(experiment)[2]


def server_variance(experiment: Experiment) -> float:
    """The variance of the aggregate's noise per weight, for weights at their ranges' centres.

    With a random share of the clients taking part, of a round with the average number of them; of a
    lottery, of a round that is not empty.
    """
    _, squares, empty = _moments(experiment)
    share = experiment.selection.expected_uploads(experiment.clients.count, 1)
    return float((squares * client_variance(experiment)).sum() / share / (1 - empty))


def _moments(experiment: Experiment) -> tuple[Floats, Floats, float]:
    return experiment.aggregator.moments(worst_variance(experiment), between=experiment.aggregator.between)


@dataclass(frozen=True)
class InClear:
    """Something that the server is told without noise."""

    what: str
    by: str
    why: str


def sent_in_clear(experiment: Experiment) -> tuple[InClear, ...]:
    """What no ε covers, because it is sent as it is."""
    mechanism, aggregator = experiment.mechanism, experiment.aggregator
    found = [InClear("that a client takes part in a round", "the connection", "the server sees who sends")]
    if mechanism.name == "none":
        return (InClear(mechanism.sends_in_clear, "every upload", "there is no mechanism"), *found)
    found.append(
        InClear(
            "each client's ε and safe range",
            "the agreement on them",
            "the server weights by them"
            if isinstance(aggregator, WeighsByNoise)
            else "client and server agree on them, and the answers show them",
        )
    )
    if experiment.form == "as_printed" and mechanism.name == "piecewise":
        scale = InClear(
            "the largest weight of each upload",
            "the ends of what is sent",
            "the scale is taken from the data",
        )
        found.insert(0, scale)
    if aggregator.reads_in_clear:
        found.append(
            InClear(aggregator.reads_in_clear, f"the aggregator “{aggregator.label}”", "it weights by that")
        )
    return tuple(found)
