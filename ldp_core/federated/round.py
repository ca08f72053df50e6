"""One round: select, train, clip, perturb, aggregate, step. Start reading here. `prepare` selects clients and
plans their training, `noisings` turns trained weights into what is to be perturbed, `finish` uploads into the
next state; so a driver of many runs can train and perturb them together.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core import limits
from ldp_core.aggregators.base import RoundClients, SeesUploads
from ldp_core.engines.joint_training import Work
from ldp_core.engines.plan import Batches, plan_batches
from ldp_core.errors import Diverged
from ldp_core.experiment import Plan
from ldp_core.federated.class_means import Decoder, messages_of
from ldp_core.federated.evaluate import own_losses
from ldp_core.federated.federation import Federation, taking_part
from ldp_core.federated.noising import Noised, Noising
from ldp_core.federated.state import State
from ldp_core.federated.upload import some_rows
from ldp_core.limits import number
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import on_demand, stream
from ldp_core.systems import Participation


@dataclass(frozen=True)
class RoundResult:
    """New state after a round, with its measurements; NaN for what was not measured."""

    state: State
    unnoised: torch.Tensor
    """Global model (d,) that the same uploads without noise would give."""
    participants: NDArray[np.int64]
    client_weights: Floats
    """Aggregation weights in the order of the participants."""
    noise_variance: float
    noise_variance_theory: float | None
    signal_variance: float
    clipped_fraction: float
    heterogeneity: float | None = None
    """Variance over participants of the loss after training on their own samples; None if not measured."""

    @property
    def weights(self) -> torch.Tensor:
        """New global model (d,), on the host."""
        return torch.from_numpy(self.state.weights)


@dataclass(frozen=True)
class Round:
    """A round between `prepare` and `finish`, whose clients are not trained yet; to be noised and finished
    once.
    """

    federation: Federation
    before: State
    participants: NDArray[np.int64]
    client_weights: Floats
    joined: Participation
    """The system's part in this round, with a copy of what its clients keep."""

    @property
    def number(self) -> int:
        return self.before.round + 1

    def chunks(self) -> Iterator[slice]:
        """Slices of the participants whose weights fit into memory together."""
        step = self.federation.plan.chunk
        return (slice(first, first + step) for first in range(0, len(self.participants), step))

    def works(self) -> Iterator[Work]:
        """Training of the round, a chunk of clients at a time, planned lazily."""
        federation, experiment = self.federation, self.federation.experiment
        records, batches = (on_demand(experiment.seed, one, self.number) for one in ("records", "batches"))
        weights = federation.placed(self.before.weights)
        for chunk in self.chunks():
            clients = self.participants[chunk]
            begin = self.joined.begin(self.before.weights, clients)
            held = [federation.shards[i] for i in clients]
            shards = self.joined.records(held, records)
            # where all who take part train on all that they hold, so does anyone who has the seed
            whole = shards is held and len(clients) == len(self.participants)
            local = experiment.local
            make = partial(plan_batches, list(shards), local.epochs, local.batch_size, batches)
            key = self.number, clients.tobytes(), local.epochs, local.batch_size
            planned = federation.deal.plan(key, make) if whole else make()
            begun = weights if begin is None else federation.placed(begin)
            place = chunk.start, len(self.participants)
            term = self.joined.term(self.before.weights, clients)
            yield replace(work(federation, begun, planned, self.before.round, place), term=term)

    def alone(self) -> Iterator[torch.Tensor]:
        """Trained weights (k, d) of each chunk of clients, or their messages for “class means”; computed
        lazily.
        """
        if self.federation.experiment.target == "class_means":
            held = self.federation.shards
            chunks = (self.participants[chunk] for chunk in self.chunks())
            return (messages_of(self.federation, [held[i] for i in chunk]) for chunk in chunks)
        return (work.alone() for work in self.works())


def prepare(federation: Federation, before: State) -> Round:
    """First half of the round after `before`: participants and their aggregation weights."""
    experiment, plan, number = federation.experiment, federation.plan, before.round + 1
    chosen = plan.turns.chosen(number)
    chosen = chosen[federation.budgets.can_afford(before.uploads)[chosen]]
    draw = on_demand(experiment.seed, "dropping out", number)
    chosen = chosen[experiment.trust.answering(plan.terms, chosen, draw)]
    client_weights = _client_weights(federation, chosen, number)
    return Round(federation, before, chosen, client_weights, taking_part(federation, before.arrays))


def noisings(prepared: Round, trained: Iterable[torch.Tensor], measured: bool = True) -> Iterator[Noising]:
    """What the clients are to upload before it is clipped and perturbed, a chunk at a time; `trained` weights
    (k, d) of each are consumed one at a time, to bound memory. Diverged for weights that are not finite or
    too large.
    """
    federation, joined, number = prepared.federation, prepared.joined, prepared.number
    experiment, plan = federation.experiment, federation.plan
    model, chosen = prepared.before.weights, prepared.participants
    encoding = on_demand(experiment.seed, "encoding", number)
    sent, update = plan.sent, experiment.target == "update"
    # what the server takes for a weight that is not sent
    known = model[sent] if experiment.target == "weights" else np.zeros(1, dtype=np.float32)
    begin = partial(stream, experiment.seed, "noise", number)
    whole = len(chosen) <= federation.plan.chunk
    noise = begin if whole else cache(begin)
    for chunk, theirs in zip(prepared.chunks(), trained, strict=True):
        clients, share = chosen[chunk], prepared.client_weights[chunk]
        _refuse_wild(federation, clients, theirs, number)
        losses = None
        if joined.compares_clients and measured:
            losses = own_losses(federation, theirs, [federation.shards[i] for i in clients])
        own = theirs.cpu().numpy()
        joined.keep(own, clients)
        news = (own - model if update else own)[:, sent]
        values = experiment.trust.contributed(plan.terms, news, clients, number)
        terms = federation.population.columns(clients)
        yield Noising(
            federation.plan.pieces(number),
            joined.encode(values, *terms[1:], clients, encoding),
            terms,
            known,
            noise,
            share if measured else None,
            federation.engine.threads,
            bool(experiment.aggregator.unpredicted),
            federation.laws,
            (experiment.seed, number) if whole else None,
            losses,
        )


def finish(prepared: Round, noised: Iterable[Noised], measured: bool = True) -> RoundResult:
    """Second half of a round, aggregate and step, from the perturbed `noisings`, consumed one at a time; with
    measurements if `measured`.
    """
    federation, joined, number = prepared.federation, prepared.joined, prepared.number
    experiment, plan, model = federation.experiment, federation.plan, prepared.before.weights
    aggregator, shares = experiment.aggregator, prepared.client_weights
    mixing, weights = on_demand(experiment.seed, "mixing", number), federation.placed(model)
    chosen = prepared.participants
    noisy, exact, bias, variance = np.zeros((4, plan.uploaded))
    clipped_count = sent_count = 0
    noised_any = False
    losses = []
    means = experiment.target == "class_means"
    decoder = Decoder(federation, chosen, shares) if means else None
    sees = isinstance(aggregator, SeesUploads)
    seen = np.empty((1 + measured, len(chosen), plan.uploaded)) if sees else None
    for chunk, (one, uploads) in zip(prepared.chunks(), noised, strict=True):
        clients, share = chosen[chunk], shares[chunk]
        received = experiment.trust.handed_on(uploads.values, one.terms, mixing)
        joined.heard(model, received, clients)
        if decoder:
            decoder.hear(received, share)
        if seen is None:
            noisy += aggregator.combine(received.astype(np.float64), share)
        else:
            seen[0, chunk] = received
        if not measured:
            continue
        losses += [one.losses] if one.losses is not None else []
        if not noised_any:  # the first client's upload tells nearly always
            pairs = ((uploads.values[one], uploads.exact[one]) for one in (slice(1), slice(None)))
            noised_any = not all(np.array_equal(*pair) for pair in pairs)
        clipped_count += uploads.outside
        sent_count += uploads.sent
        if seen is not None:
            seen[1, chunk] = uploads.exact
        for rows in some_rows(uploads.exact.shape) if seen is None else ():  # which stay in the CPU's cache
            exact += aggregator.combine(uploads.exact[rows].astype(np.float64), share[rows])
        bias += uploads.bias
        variance += uploads.variance

    if isinstance(aggregator, SeesUploads) and seen is not None and len(chosen):
        sizes = federation.deal.sizes[chosen].astype(np.float64)
        held = sizes if aggregator.weighs_by_size else np.ones(len(chosen))
        worst = federation.weighing.worst(number)[chosen]
        public = RoundClients(federation.population.epsilon[chosen], worst, held)
        shares, combine = aggregator.decided(seen[0], public)
        noisy, exact = combine(seen[0]), combine(seen[-1])
    any_weight = shares.any()
    noisy = aggregator.finish(noisy)
    step = decoder.decoded if decoder else partial(new_model, federation, model)
    stepped = step(joined.finish(noisy)) if any_weight else model
    sent = prepared.before.uploads.copy()
    sent[chosen] += 1
    state = State(number, stepped, sent, joined.arrays, federation.engine.kind)
    if not measured:
        return RoundResult(state, weights, chosen, shares, *[math.nan] * 4)
    exact = aggregator.finish(exact)
    plain = partial(decoder.decoded, noisy=False) if decoder else step
    theory = float((variance + bias**2).mean())
    return RoundResult(
        state=state,
        unnoised=federation.placed(plain(joined.finish(exact))) if any_weight else weights,
        participants=chosen,
        client_weights=shares,
        noise_variance=float(((noisy - exact) ** 2).mean()) * noised_any,  # the sums' rounding is no noise
        noise_variance_theory=None if theory and aggregator.unpredicted else theory,
        signal_variance=float((exact**2).mean()),
        clipped_fraction=clipped_count / max(1, sent_count),
        heterogeneity=float(np.concatenate(losses).var()) if losses else None,
    )


def one_round(federation: Federation, before: State) -> RoundResult:
    """State and measurements after the round that follows `before`, trained on its own; or Diverged."""
    prepared = prepare(federation, before)
    return finish(prepared, (one.alone() for one in noisings(prepared, prepared.alone())))


def _client_weights(federation: Federation, chosen: NDArray[np.int64], number: int) -> Floats:
    experiment, weighing = federation.experiment, federation.weighing
    if not len(chosen):
        return np.zeros(0)
    known = weighing.worst(number)[chosen], federation.deal.sizes[chosen], experiment.aggregator.between
    draw = on_demand(experiment.seed, "aggregation", number)
    make = partial(experiment.aggregator.weights, *known, draw)
    return make() if experiment.aggregator.draws else weighing.shares(number, chosen, make)


def work(
    federation: Federation, start: torch.Tensor, batches: Batches, done: int, place: tuple[int, int]
) -> Work:
    """Training of a chunk of clients after `done` rounds; `place`: how many are trained before it, and in
    all.
    """
    tick, (before, of) = federation.tick, place
    share_of, recipe = len(batches.rows) / of, federation.recipe
    optimizer = recipe.optimizer.after(done * len(batches.active))
    return Work(
        federation.engine,
        recipe if optimizer is recipe.optimizer else replace(recipe, optimizer=optimizer),
        start,
        federation.samples,
        batches,
        tick and (lambda share: tick(before / of + share * share_of)),
    )


def _refuse_wild(
    federation: Federation, clients: NDArray[np.int64], trained: torch.Tensor, number: int
) -> None:
    low, high = trained.aminmax()
    if float(low) >= -limits.DIVERGED_WEIGHT and float(high) <= limits.DIVERGED_WEIGHT:  # never so with a NaN
        return
    largest = trained.abs().amax(dim=1)
    wild = ~(largest <= limits.DIVERGED_WEIGHT)  # true for NaN as well
    row = int(wild.nonzero()[0])
    exact = number == 1 or federation.plan.randomiser.role == "identity"
    raise Diverged(
        f"the weights of client {int(clients[row]) + 1} reached "
        f"{limits.number(float(largest[row]), 2)} in local "
        f"training; {_remedy(federation.plan, exact)}"
    )


def _remedy(plan: Plan, exact: bool) -> str:
    """Advice after divergence; without noise (`exact`) it does not mention budgets."""
    experiment = plan.experiment
    own = experiment.system.why_diverged(plan.public, exact) if experiment.system else ""
    if own:
        return own
    local = experiment.local
    advice = "" if exact else ", or less noise"
    if local.optimizer.has_own_rate:
        begin = number(local.optimizer.rate(1, 0), 6)
        return f"the steps of {local.optimizer.name} begin at {begin}; try sgd{advice}"
    rate = local.learning_rate
    usual = number(min(limits.LEARNING_RATE.default, rate / 10), 6)
    cause = "is" if exact else "or the noise is"
    return f"the learning rate {number(rate, 6)} {cause} too large; try one near {usual}{advice}"


def new_model(federation: Federation, model: NDArray[np.float32], aggregate: Floats) -> NDArray[np.float32]:
    """Next global model (d,). For the target “weights”, the corrected form projects the aggregate onto the
    hull of the clients' public safe ranges, or onto the ball: post-processing, which costs no privacy.
    """
    experiment, plan = federation.experiment, federation.plan
    if experiment.target == "weights" and experiment.form == "corrected":
        if plan.randomiser.region == "box":
            low, high = federation.hull
            aggregate = np.minimum(np.maximum(aggregate, low), high)
        else:
            aggregate = np.asarray(plan.randomiser.clip(aggregate, *federation.hull), np.float64)
    stepped = model.copy()  # what is not sent stays as it is
    with np.errstate(over="ignore"):
        news = aggregate.astype(np.float32)
    if experiment.target == "update":
        stepped[plan.sent] += news
    else:
        stepped[plan.sent] = news
    return stepped
