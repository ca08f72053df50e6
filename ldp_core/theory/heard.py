"""Participation in rounds, where it matters more than the average noise."""

import math

from ldp_core.experiment import Experiment
from ldp_core.theory.clients import client_variance, end_variance, worst_variance
from ldp_core.theory.server import client_weights

MIXED = 4.0
"""Ratio of largest to smallest noise variance above which the participants decide about a round."""
HELD = 6
"""Effective number of clients in a round up to which weights may stay at the ends of their range."""


def by_lot(experiment: Experiment) -> bool:
    """Whether unlike clients take part in different rounds, by sampling or by exhausted limits."""
    count = experiment.clients.count
    drawn = (
        experiment.selection.size(count) != count
        or experiment.clients.run_limit is not None
        or experiment.aggregator.name == "probability_selection"
    )
    noises = worst_variance(experiment)
    return drawn and bool(noises.max() > MIXED * noises.min())


def held(experiment: Experiment) -> float:
    """Noise of weights at the ends of their range, relative to that in the middle; 1 for more clients.

    If few clients are averaged, the new model lies at the ends, where a mechanism with few outputs errs
    little, and so do the next uploads: one client per round (Duchi, ε 8) reaches 58 % where the noise in the
    middle is 3.7 times the size of weights.
    """
    shares = client_weights(experiment) ** 2
    middle = float(shares @ client_variance(experiment))
    if counting(experiment) > HELD or middle == 0:
        return 1.0
    return min(1.0, math.sqrt(float(shares @ end_variance(experiment)) / middle))


def counting(experiment: Experiment) -> float:
    """Effective number of clients in a round's average."""
    count, rounds = experiment.clients.count, experiment.rounds
    taking_part = experiment.selection.expected_uploads(count, rounds) / rounds
    return taking_part / float((client_weights(experiment) ** 2).sum())
