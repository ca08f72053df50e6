"""What can be said before any training: the server's noise, exactly, from public facts alone."""

from __future__ import annotations

import numpy as np

from ldp_core.experiment import Experiment
from ldp_core.mechanisms.base import Floats


def client_variance(experiment: Experiment) -> Floats:
    """The variance of each client's noise per weight for a weight at its range's centre, (K,).

    It depends a little on the weight itself; trained weights lie near the centre of most ranges.
    """
    population = experiment.population()
    centre = (population.low + population.high) / 2
    return np.atleast_1d(
        experiment.randomiser.variance(centre, population.epsilon, population.low, population.high)
    )


def worst_variance(experiment: Experiment) -> Floats:
    """The largest variance over each client's safe range, (K,): what the server weights by."""
    population = experiment.population()
    return np.atleast_1d(
        experiment.randomiser.max_variance(population.epsilon, population.low, population.high)
    )


def client_weights(experiment: Experiment) -> Floats:
    """The weight of each client when all take part, (K,)."""
    return experiment.aggregator.weights(worst_variance(experiment))


def server_variance(experiment: Experiment) -> float:
    """The variance of the aggregate's noise per weight, for weights at their ranges' centres.

    With a random share of the clients taking part, of a round with the average number of them.
    """
    weights = client_weights(experiment)
    share = experiment.selection.expected_uploads(experiment.clients.count, 1)
    return float((weights**2 * client_variance(experiment)).sum() / share)
