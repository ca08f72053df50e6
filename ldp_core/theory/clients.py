"""Noise variance of each client per weight, for a weight at its range's centre and in the worst case; and
what clients send without noise.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ldp_core.aggregators.base import NoiseMoments, WeighsByNoise
from ldp_core.experiment import Piece, Plan, Population, kept
from ldp_core.mechanisms import InClear, Mechanism
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.kinds import kinds

PLACES = 257
"""Number of values in a range at which the error of a biased answer is evaluated."""


def client_variance(plan: Plan, others: Population | None = None) -> Floats:
    """Noise variance of each client (of `others`, if given) per weight in round 1, (K,), for a weight at its
    range's centre, near which trained weights are; the mean over layers that differ. If the scale is taken
    from the upload (as-printed Piecewise), its largest weight is assumed at the range's upper end.
    """
    population = others or plan.population
    total = np.zeros(len(population.epsilon))
    for piece in plan.pieces():
        total += piece.size / plan.uploaded * mid_range(population, piece).variance
    return total


def mid_range(population: Population, piece: Piece) -> NoiseMoments:
    """Variance and bias of each client's upload for a weight at its range's centre, (K,) each."""
    different, of = kinds(population.epsilon, population.low, population.high)
    if len(different) < len(of):
        found = mid_range(Population(*np.array(different).T), piece)
        return NoiseMoments(found.variance[of], found.bias[of])
    mechanism = piece.mechanism
    box = mechanism.region == "box"
    centre = (population.low + population.high) / 2 if box else np.zeros_like(population.low)
    # an upload of two weights: the one in the middle, and one at the upper end
    upload = np.stack([centre, population.high], axis=-1)
    columns = population.columns(np.arange(len(centre)))
    mean, variance = (moment[:, 0] for moment in mechanism.at(*columns).moments(upload))
    return NoiseMoments(np.asarray(variance, np.float64), np.asarray(mean - centre, np.float64))


def largest_error(population: Population, piece: Piece) -> NoiseMoments:
    """Variance and bias of each client's upload, (K,) each, that give the largest mean square error which
    weights in their ranges can have in an aggregate; for biased answers.
    """
    different, of = kinds(population.epsilon, population.low, population.high)
    epsilon, low, high = np.array(different).T[..., None]
    values = low + (high - low) * np.linspace(0, 1, PLACES)
    mean, variance = piece.mechanism.at(epsilon, low, high).moments(values)
    bias = np.abs(mean - values)
    most = bias.max(axis=1)
    return NoiseMoments(((variance + bias**2).max(axis=1) - most**2)[of], most[of])


@kept(8)
def worst_variance(plan: Plan, round: int = 1) -> Floats:
    """Largest noise variance over each client's range, (K,), for weighting; for votes before the sign."""
    people = plan.population
    terms = people.epsilon, people.low, people.high
    found = _over_pieces(plan, round, lambda m: m.at(*terms).weighing_variance)
    found.setflags(write=False)
    return found


def worst_error(plan: Plan) -> Floats:
    """Largest mean square error over each client's range, (K,), in round 1; of signs with their bias."""
    if plan.randomiser.role != "vote":
        return worst_variance(plan)
    found, population = np.zeros(plan.experiment.clients.count), plan.population
    for piece in plan.pieces():
        variance, bias = largest_error(population, piece)
        found += piece.size / plan.uploaded * (variance + bias**2)
    return found


def _over_pieces(plan: Plan, round: int, variance: Callable[[Mechanism], Any]) -> Floats:
    total = np.zeros(plan.experiment.clients.count)
    for piece in plan.pieces(round):
        total += piece.size / plan.uploaded * variance(piece.mechanism)
    return total


def sent_in_clear(plan: Plan) -> tuple[InClear, ...]:
    experiment = plan.experiment
    mechanism, aggregator = plan.randomiser, experiment.aggregator
    hears = "the shuffler" if experiment.trust.against == "shuffled heap" else "the server"
    trusted = InClear("every upload", "the trust in the server", "it adds the noise itself")
    found = [
        *([trusted] if experiment.trust.against == "model" else []),
        *mechanism.in_clear(),
        InClear("that a client takes part in a round", "the connection", f"{hears} sees who sends"),
    ]
    if mechanism.role == "identity":
        return tuple(found)
    tells = plan.tells
    if tells.clear and experiment.system:
        share = f"on average at least {tells.clear:.0f} of the {plan.uploaded} weights of an upload"
        found.append(InClear(share, f"the system “{experiment.system.label}”", tells.why))
    weights = isinstance(aggregator, WeighsByNoise)
    agreed = "client and server agree on them, and the answers show them"
    why = "the server weights by them" if weights else agreed
    limit = "norm" if mechanism.region == "ball" else "safe range"
    found.append(InClear(f"each client's ε and {limit}", "the agreement on them", why))
    if experiment.unit == "record":
        held = "a record is exchanged for another, never added"
        found.append(InClear("how many records each client holds", "the unit of privacy", held))
    if read := aggregator.reads_in_clear:
        found.append(InClear(read, f"the aggregator “{aggregator.label}”", "it weights by that"))
    return tuple(found)
