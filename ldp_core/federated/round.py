"""One round: select, train, clip, perturb, aggregate, step. A newcomer starts reading here."""

from __future__ import annotations

import math
from collections.abc import Generator, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core import limits
from ldp_core.engines.joint_training import Work
from ldp_core.engines.plan import Plan, plan_batches
from ldp_core.errors import Diverged
from ldp_core.experiment import Experiment
from ldp_core.federated.evaluate import own_losses
from ldp_core.federated.federation import Federation, taking_part
from ldp_core.federated.privacy_filter import PrivacyFilter
from ldp_core.federated.upload import uploaded
from ldp_core.mechanisms.base import Floats
from ldp_core.partitions.base import Indices
from ldp_core.streams import Purpose, stream
from ldp_core.systems import Participation

DRAWN: tuple[Purpose, ...] = ("records", "batches", "encoding", "noise")
"""What clients draw in a round, each from a stream of its own."""


@dataclass(frozen=True)
class RoundResult:
    """The new global model and what was measured on the way to it; where nobody asked for that, NaN, and the
    new model in place of what it would be.
    """

    weights: torch.Tensor
    """(d,)"""
    unnoised: torch.Tensor
    """What it would be, had the same uploads come without their noise."""
    participants: NDArray[np.int64]
    client_weights: Floats
    """The aggregator's weights, in the order of the participants."""
    noise_variance: float
    noise_variance_theory: float | None
    signal_variance: float
    clipped_fraction: float
    heterogeneity: float | None = None
    """The variance between participants of their losses after training, on their own samples; None where
    nobody asks for it."""


Round = Generator[Work, torch.Tensor, RoundResult]
"""A round under way: it hands out what is to be trained, and is sent the trained weights (k, d)."""


def one_round(
    federation: Federation,
    weights: torch.Tensor,
    number: int,
    budgets: PrivacyFilter,
    participation: Participation | None = None,
) -> RoundResult:
    """Round `number` (from 1), starting from the global model `weights` (d,), all by itself.

    Raises:
        Diverged: a client's training left the numbers.
    """
    under_way = round_steps(federation, weights, number, budgets, participation)
    trained = None
    while True:
        try:
            trained = under_way.send(trained).alone() if trained is not None else next(under_way).alone()
        except StopIteration as end:
            result: RoundResult = end.value
            return result


def round_steps(
    federation: Federation,
    weights: torch.Tensor,
    number: int,
    budgets: PrivacyFilter,
    participation: Participation | None = None,
    measured: bool = True,
) -> Round:
    """The same for whoever trains: see `Round`. `participation` is the system's part, by default from its
    beginning; `measured`: not the model alone is asked for.

    Clients stream through in chunks that fit in memory; what is kept is a handful of vectors.
    """
    experiment, population = federation.experiment, federation.population
    joined = participation or taking_part(federation)
    chosen = experiment.selection.choose(experiment.clients.count, experiment.seed, number, experiment.rounds)
    chosen = chosen[budgets.can_afford(chosen)]
    pieces = federation.terms.pieces(number)
    client_weights = _client_weights(federation, chosen, number)
    draws = {purpose: stream(experiment.seed, purpose, number) for purpose in DRAWN}
    model = weights.cpu().numpy()
    # what the server takes for a weight that is not sent
    known = model[experiment.sent] if experiment.target == "weights" else np.zeros(1, dtype=np.float32)

    m = experiment.uploaded
    noisy, exact, bias, variance = (np.zeros(m) for _ in range(4))
    clipped_count = sent_count = 0
    losses = np.zeros(len(chosen))
    for start in range(0, len(chosen), federation.chunk):
        clients = chosen[start : start + federation.chunk]
        share = client_weights[start : start + federation.chunk]
        begin = joined.begin(model, clients)
        held = [federation.shards[i] for i in clients]
        shards = joined.records(held, draws["records"])
        # where all who take part train on all that they hold, so does whoever else has the seed
        whole = shards is held and len(clients) == len(chosen)
        plan = _plan(federation, shards, draws["batches"], (number, clients.tobytes()) if whole else None)
        begun = weights if begin is None else torch.from_numpy(begin).to(weights)
        work = _work(federation, begun, plan, (start, len(chosen)))
        trained = yield work
        _refuse_wild(federation, clients, trained, number)
        if joined.compares_clients and measured:
            losses[start : start + federation.chunk] = own_losses(federation, trained, shards)
        joined.keep(trained.cpu().numpy(), clients)
        values = (trained if experiment.target == "weights" else trained - weights)[:, experiment.sent]
        epsilon, low, high = population.columns(clients)
        encoded = joined.encode(values.cpu().numpy(), low, high, clients, draws["encoding"])
        uploads = uploaded(
            pieces,
            encoded,
            epsilon,
            known,
            draws["noise"],
            share if measured else None,
            federation.engine.processes,
            whether=bool(experiment.aggregator.unpredicted),
            laws=federation.terms.laws,
        )
        joined.heard(model, uploads.values, clients)
        noisy += experiment.aggregator.combine(uploads.values.astype(np.float64), share)
        if not measured:
            continue
        clipped_count += uploads.outside
        sent_count += uploads.sent
        exact += experiment.aggregator.combine(uploads.exact.astype(np.float64), share)
        bias += uploads.bias
        variance += uploads.variance
    budgets.spend(chosen)

    somebody = client_weights.any()
    noisy = experiment.aggregator.finish(noisy)
    stepped = _step(federation, weights, joined.finish(noisy)) if somebody else weights
    if not measured:
        return RoundResult(stepped, stepped, chosen, client_weights, *[math.nan] * 4)
    exact = experiment.aggregator.finish(exact)
    theory = float((variance + bias**2).mean())
    return RoundResult(
        weights=stepped,
        unnoised=_step(federation, weights, joined.finish(exact)) if somebody else weights,
        participants=chosen,
        client_weights=client_weights,
        noise_variance=float(((noisy - exact) ** 2).mean()),
        noise_variance_theory=None if theory and experiment.aggregator.unpredicted else theory,
        signal_variance=float((exact**2).mean()),
        clipped_fraction=clipped_count / max(1, sent_count),
        heterogeneity=float(losses.var()) if joined.compares_clients and len(chosen) else None,
    )


def _plan(
    federation: Federation, shards: Sequence[Indices], generator: np.random.Generator, known: Hashable = None
) -> Plan:
    """The batches of some shards; `known` says which, where other runs of the deal may have the same."""
    local = federation.experiment.local

    def make() -> Plan:
        return plan_batches(list(shards), local.epochs, local.batch_size, generator)

    return federation.deal.plan((known, local.epochs, local.batch_size), make) if known else make()


def _client_weights(federation: Federation, chosen: NDArray[np.int64], number: int) -> Floats:
    """The aggregator's weight of each participant: all zero where it draws nobody, or nobody is left."""
    experiment = federation.experiment
    if not len(chosen):
        return np.zeros(0)
    return experiment.aggregator.weights(
        federation.terms.worst(number)[chosen],
        sizes=federation.deal.sizes[chosen],
        between=experiment.aggregator.between,
        generator=stream(experiment.seed, "aggregation", number),
    )


def _work(federation: Federation, start: torch.Tensor, plan: Plan, place: tuple[int, int]) -> Work:
    """The training of some clients.

    `place`: how many clients have been trained before them in this round, and of how many.
    """
    tick, (before, of) = federation.tick, place
    share_of = len(plan.rows) / of
    return Work(
        federation.engine,
        federation.recipe,
        start,
        federation.samples,
        plan,
        tick and (lambda share: tick(before / of + share * share_of)),
    )


def _refuse_wild(
    federation: Federation, clients: NDArray[np.int64], trained: torch.Tensor, number: int
) -> None:
    """Go on only with weights (k, d) that are numbers of a sensible size.

    Raises:
        Diverged: training left them.
    """
    low, high = trained.aminmax()
    if float(low) >= -limits.DIVERGED_WEIGHT and float(high) <= limits.DIVERGED_WEIGHT:  # never so with a NaN
        return
    largest = trained.abs().amax(dim=1)
    wild = ~(largest <= limits.DIVERGED_WEIGHT)  # true for NaN as well
    row = int(wild.nonzero()[0])
    exact = number == 1 or federation.experiment.mechanism.role == "identity"
    raise Diverged(
        f"the weights of client {int(clients[row]) + 1} reached {float(largest[row]):.2g} in local "
        f"training; {_remedy(federation.experiment, exact)}"
    )


def _remedy(experiment: Experiment, exact: bool) -> str:
    """What to do about weights that left the numbers; where they are exact, no noise has reached them."""
    own = experiment.system.why_diverged(experiment, exact) if experiment.system else ""
    if own:
        return own
    local = experiment.local
    advice = "" if exact else ", or less noise"
    if local.optimizer.has_own_rate:
        return f"the steps of {local.optimizer.name} begin at {local.optimizer.rate(1, 0):g}; try sgd{advice}"
    rate = local.learning_rate
    usual = limits.LEARNING_RATE.default
    cause = "is" if exact else "or the noise is"
    return f"the learning rate {rate:g} {cause} too large; try one near {min(usual, rate / 10):g}{advice}"


def _step(federation: Federation, weights: torch.Tensor, aggregate: Floats) -> torch.Tensor:
    """The next global model.

    Where weights are the target, the corrected form projects the aggregate back into the hull of
    the clients' public safe ranges, or into the ball: noise cannot push the model out of where the
    truth can be, and as post-processing it costs no privacy.
    """
    experiment = federation.experiment
    if experiment.target == "weights" and experiment.form == "corrected":
        if experiment.mechanism.region == "box":
            aggregate = np.clip(aggregate, *federation.hull)
        else:
            aggregate = np.asarray(experiment.mechanism.project(aggregate, *federation.hull), np.float64)
    news = torch.from_numpy(aggregate).to(weights)
    stepped = weights.clone()  # what is not sent stays as it is
    if experiment.target == "update":
        stepped[experiment.sent] += news
    else:
        stepped[experiment.sent] = news
    return stepped
