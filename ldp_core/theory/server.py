"""Noise of the aggregate, before training.

Exact for weights at their ranges' centres, over participants, unequal data, the lottery, clients' own ε
limits, and all rounds; simulated, with a standard `error`, if there are too many mixtures of participants, or
limits meet a random selection. If the noise depends on training, none is predicted, with the reason.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import NDArray

from ldp_core.aggregators.base import NoiseMoments, SeesUploads
from ldp_core.experiment import Experiment, Plan, kept, plan
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.kinds import alike
from ldp_core.theory.clients import largest_error, mid_range, worst_variance
from ldp_core.theory.turnout import Turnout, sizes, turnouts
from ldp_core.trust import Trust

NODES = 24
"""Number of rounds at which changing noise is evaluated …"""
DEGREE = 12
"""… and degree of the interpolating polynomial."""


@dataclass(frozen=True)
class ServerNoise:
    """Mean square per weight of the aggregate's noise; NaN if not predicted."""

    variance: float
    """Mean over all rounds; a round without participants adds 0."""
    heard: float
    """Mean over rounds with participants; 0 without any."""
    empty: float
    """Share of the rounds without participants: none is drawn, or all have reached their ε limits."""
    error: float
    """Standard error of `variance`; 0 if not simulated. Noise that changes over rounds is interpolated, with
    a relative error of at most 1e-5 in all tests.
    """
    most: float
    """`heard`, or where answers are biased, as signs are, the largest for weights in their ranges."""
    unknown: str = ""
    """Why no noise is predicted, as the end of a sentence that begins “as”; "" if it is."""


def server_variance(experiment: Experiment) -> float:
    """Noise variance (and squared bias, as in the measurements of runs) of the aggregate per weight, averaged
    over rounds, for weights at their ranges' centres; NaN if not predicted.
    """
    return server_noise(plan(experiment)).variance


def client_weights(plan: Plan) -> Floats:
    """Mean weight of each client over non-empty rounds with all present, (K,), with sum 1; NaN where uploads
    decide.
    """
    aggregator, held = plan.experiment.aggregator, sizes(plan)
    if isinstance(aggregator, SeesUploads):
        return np.full(len(held), math.nan)
    mean, _, empty = aggregator.moments(worst_variance(plan), held, aggregator.between)
    return mean / (1 - empty)


def server_noise(plan: Plan) -> ServerNoise:
    held = tuple(sizes(plan).tolist())
    found = _server_noise(plan, held, False)
    if plan.randomiser.role == "vote" and not found.unknown:
        return replace(found, most=_server_noise(plan, held, True).heard)
    return found


@kept(256)
def _server_noise(plan: Plan, held: tuple[float, ...], anywhere: bool) -> ServerNoise:
    public = _Public(plan, np.array(held), anywhere)
    variance = empty = 0.0
    imagined: dict[int, Floats] = {}
    for turnout in turnouts(plan, public.kinds):
        noise, silent = public.noise(turnout)
        variance += float(turnout.share @ noise)
        empty += float(turnout.share @ silent)
        if turnout.drawn:  # the same row of each is of the same imagined run, where there are as many
            imagined[len(noise)] = imagined.get(len(noise), 0.0) + turnout.share.sum() * noise
    heard = variance / (1 - empty) if empty < 1 - 1e-12 else 0.0
    error = math.sqrt(math.fsum(float(of.var()) / rows for rows, of in imagined.items()))
    if variance and (why := unpredicted(plan)):
        return ServerNoise(math.nan, math.nan, min(1.0, empty), math.nan, math.nan, why)
    return ServerNoise(variance, heard, min(1.0, empty), error, heard)


def unpredicted(plan: Plan) -> str:
    """Why the noise cannot be predicted; "" if it can."""
    experiment = plan.experiment
    of_system = experiment.system.unpredicted(plan.public) if experiment.system else ""
    return experiment.aggregator.unpredicted or of_system


def _nodes(first: int, last: int) -> tuple[NDArray[np.int64], Floats]:
    """Rounds from `first` to `last` to evaluate, and their weights in the mean over all: interpolation by a
    polynomial in the round's logarithm, since noise that changes does so.
    """
    every = np.arange(first, last + 1)
    nodes = np.unique(np.geomspace(first, last, NODES).round().astype(np.int64))
    if len(nodes) == len(every):
        return nodes, np.full(len(nodes), 1 / len(nodes))
    degree, middle, half = min(DEGREE, len(nodes) - 1), np.log(first * last) / 2, np.log(last / first) / 2
    of_nodes, of_all = (chebvander((np.log(r) - middle) / half, degree) for r in (nodes, every))
    return nodes, of_all.mean(axis=0) @ np.linalg.pinv(of_nodes)


class _Public:
    """Each client's noise, weight and size, round by round."""

    def __init__(self, plan: Plan, held: Floats, anywhere: bool = False) -> None:
        self._plan, self._held = plan, held
        self._error = largest_error if anywhere else mid_range
        self._changes = plan.terms.changes
        self._at: dict[int, tuple[list[tuple[float, NoiseMoments]], Floats]] = {}
        self._symmetric = self._is_symmetric()

    @property
    def kinds(self) -> NDArray[np.int64]:
        """(K,): number of the group of clients that are equal in all that affects the aggregate's noise."""
        pieces, worst = self._facts(1)
        if self._symmetric:
            return np.zeros(len(worst), dtype=np.int64)
        return alike(worst, self._held, *(part for _, drawn in pieces for part in drawn))

    def noise(self, turnout: Turnout) -> tuple[Floats, Floats]:
        """Mean square of the noise and probability of an empty round, for each round of a turnout, (J,)."""
        rounds, share = np.array(turnout.rounds[:1]), np.ones(1)
        if self._changes:
            rounds, share = _nodes(*turnout.rounds)
        found = [self._in_round(turnout, int(number)) for number in rounds]
        noise, silent = (
            sum(s * part for s, part in zip(share, parts, strict=True)) for parts in zip(*found, strict=True)
        )
        return np.asarray(noise), np.asarray(silent)

    def _in_round(self, turnout: Turnout, number: int) -> tuple[Floats, Floats]:
        pieces, worst = self._facts(number)
        aggregator, who, here = self._plan.experiment.aggregator, turnout.clients, self._answering(turnout)
        total = silent = np.zeros(len(who))
        for share, drawn in pieces:
            even = self._symmetric
            variance = np.full(who.shape, drawn.variance.mean()) if even else drawn.variance[who]
            of = NoiseMoments(variance, drawn.bias[who])
            noise, silent = aggregator.noise(of, worst[who], self._held[who], here, aggregator.between)
            total = total + share * noise
        return total, silent

    def _answering(self, turnout: Turnout) -> NDArray[np.bool_]:
        """Mask of those who upload and answer, (J, n); of equal ones the first, as which do has no effect."""
        trust = self._plan.experiment.trust
        if type(trust).answering is Trust.answering:
            return turnout.here
        return np.array([trust.answering(self._plan.terms, who, None) for who in turnout.clients])

    def _facts(self, number: int) -> tuple[list[tuple[float, NoiseMoments]], Floats]:
        """For each slice its share of the weights and the clients' noise; and the variances for weighting."""
        if number not in self._at:
            plan = self._plan
            noisy = plan.tells.perturbed / plan.uploaded  # what goes in clear has none
            pieces = [
                (noisy * piece.size / plan.uploaded, self._error(plan.population, piece))
                for piece in plan.pieces(number)
            ]
            self._at[number] = pieces, worst_variance(plan, number)
        return self._at[number]

    def _is_symmetric(self) -> bool:
        """True if all clients weigh the same in every selection: then only their mean variance matters."""
        experiment, (pieces, worst) = self._plan.experiment, self._facts(1)
        share = experiment.aggregator.moments(worst, self._held, experiment.aggregator.between)[0]
        unbiased = not any(drawn.bias.any() for _, drawn in pieces)
        alike = bool(np.ptp(share) <= 1e-12 * share.max()) and self._plan.turns.drawn is None
        return alike and unbiased and experiment.clients.run_limit is None
