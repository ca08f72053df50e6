"""One round: select, train, clip, perturb, aggregate, step. A newcomer starts reading here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core import limits
from ldp_core.engines.plan import plan_batches
from ldp_core.errors import Diverged
from ldp_core.experiment.schema import Local
from ldp_core.federated.federation import Federation
from ldp_core.federated.privacy_filter import Purse
from ldp_core.federated.upload import Vectors, moments, perturbed
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream
from ldp_core.theory import worst_variance


@dataclass(frozen=True)
class RoundResult:
    """The new global model and what was measured on the way to it."""

    weights: torch.Tensor
    """(d,)"""
    participants: NDArray[np.int64]
    client_weights: Floats
    """The aggregator's weights, in the order of the participants."""
    noise_variance: float
    noise_variance_theory: float
    signal_variance: float
    clipped_fraction: float


def one_round(federation: Federation, weights: torch.Tensor, number: int, purse: Purse) -> RoundResult:
    """Round `number` (from 1), starting from the global model `weights` (d,).

    Clients stream through in chunks that fit in memory; what is kept is a handful of vectors.

    Raises:
        Diverged: a client's training left the numbers.
    """
    experiment, population = federation.experiment, federation.population
    chosen = experiment.selection.choose(experiment.clients.count, experiment.seed, number, experiment.rounds)
    chosen = chosen[purse.can_afford(chosen)]
    pieces = experiment.pieces(number)
    client_weights = _client_weights(federation, chosen, number)
    batches = stream(experiment.seed, "batches", number)
    noise = stream(experiment.seed, "noise", number)

    d = experiment.dimension
    noisy, exact, bias, variance = (np.zeros(d) for _ in range(4))
    clipped_count = 0
    for start in range(0, len(chosen), federation.chunk):
        clients = chosen[start : start + federation.chunk]
        share = client_weights[start : start + federation.chunk]
        values = _train_chunk(federation, weights, clients, batches, number, (start, len(chosen)))
        columns = population.columns(clients)
        clipped = np.clip(values, *columns[1:]).astype(np.float32)
        clipped_count += int((values != clipped).sum())
        uploads = perturbed(pieces, clipped, columns, noise)
        noisy += experiment.aggregator.combine(uploads.astype(np.float64), share)
        exact += experiment.aggregator.combine(clipped.astype(np.float64), share)
        client_bias, client_variance = moments(pieces, clipped, columns)
        bias += share @ client_bias
        variance += share**2 @ client_variance
    purse.spend(chosen)

    return RoundResult(
        weights=_step(federation, weights, noisy) if client_weights.any() else weights,
        participants=chosen,
        client_weights=client_weights,
        noise_variance=float(((noisy - exact) ** 2).mean()),
        noise_variance_theory=float((variance + bias**2).mean()),
        signal_variance=float((exact**2).mean()),
        clipped_fraction=clipped_count / max(1, len(chosen) * d),
    )


def _client_weights(federation: Federation, chosen: NDArray[np.int64], number: int) -> Floats:
    """The aggregator's weight of each participant: all zero where it draws nobody, or nobody is left."""
    experiment = federation.experiment
    if not len(chosen):
        return np.zeros(0)
    return experiment.aggregator.weights(
        worst_variance(experiment, number)[chosen],
        sizes=np.array([len(federation.shards[i]) for i in chosen]),
        between=experiment.aggregator.between,
        generator=stream(experiment.seed, "aggregation", number),
    )


def _train_chunk(
    federation: Federation,
    weights: torch.Tensor,
    clients: NDArray[np.int64],
    batches: np.random.Generator,
    number: int,
    place: tuple[int, int],
) -> Vectors:
    """What each of the clients would upload if nothing were clipped or perturbed, (k, d).

    `place`: how many clients have been trained before them in this round, and of how many.
    """
    experiment, tick = federation.experiment, federation.tick
    local = experiment.local
    plan = plan_batches([federation.shards[i] for i in clients], local.epochs, local.batch_size, batches)
    before, of = place
    trained = federation.engine.train(
        federation.recipe,
        weights,
        federation.samples,
        plan,
        tick and (lambda share: tick((before + share * len(clients)) / of)),
    )
    largest = trained.abs().amax(dim=1)
    wild = ~(largest <= limits.DIVERGED_WEIGHT)  # true for NaN as well
    if bool(wild.any()):
        row = int(wild.nonzero()[0])
        exact = number == 1 or experiment.mechanism.name == "none"
        raise Diverged(
            f"the weights of client {int(clients[row]) + 1} reached {float(largest[row]):.2g} in local "
            f"training; {_remedy(local, exact)}"
        )
    values = trained if experiment.target == "weights" else trained - weights
    return values.cpu().numpy()


def _remedy(local: Local, exact: bool) -> str:
    """What to do about weights that left the numbers; where they are exact, no noise has reached them."""
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
    the clients' public safe ranges: noise cannot push the model out of where the truth can be, and
    as post-processing it costs no privacy.
    """
    experiment = federation.experiment
    aggregate = experiment.aggregator.finish(aggregate)
    if experiment.target == "update":
        return weights + torch.from_numpy(aggregate).to(weights)
    if experiment.form == "corrected":
        aggregate = np.clip(aggregate, *federation.hull)
    return torch.from_numpy(aggregate).to(weights)
