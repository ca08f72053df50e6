"""The attacked uploads: whose they are, which samples they are made of, and what the server observes.

For a few clients, an audit upload (one image, one step: the worst case) and the upload of the client's real
training, which depend neither on the mechanism nor on who else is attacked. Each is observed as sent, clipped
without noise, and without clipping and noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core import limits, mechanisms
from ldp_core.attacks import Observation, PublicImages
from ldp_core.attacks.observation import LayerNoise
from ldp_core.engines.plan import plan_batches
from ldp_core.experiment import Piece
from ldp_core.federated.class_means import messages, messages_of
from ldp_core.federated.federation import Federation, taking_part, untrained
from ldp_core.federated.state import State
from ldp_core.federated.upload import Columns, Vectors, clip_uploads, perturbed, uploaded
from ldp_core.mechanisms.base import Floats
from ldp_core.models.record_clipping import clipped_gradients
from ldp_core.streams import stream
from ldp_core.systems import Encoded

ControlKind = Literal["clean", "clipped"]
PUBLIC_IMAGES = 512
"""Largest number of held-out images that an attacker may know."""


@dataclass(frozen=True)
class Victims:
    """Attacked clients and one training sample of each, both of shape (V,)."""

    clients: NDArray[np.int64]
    samples: NDArray[np.int64]


def choose_victims(federation: Federation) -> Victims:
    """The clients that the experiment names, else those with the least, the median and the greatest ε."""
    experiment, plan = federation.experiment, federation.plan
    named = experiment.attack.clients if experiment.attack else None
    clients = np.array(named, dtype=np.int64) - 1 if named is not None else plan.spread_by_budget()
    # one draw for every client, so that a victim's image does not depend on who else is attacked
    draws = stream(experiment.seed, "attack images").random(experiment.clients.count)
    samples = [federation.shards[i][int(draws[i] * len(federation.shards[i]))] for i in clients]
    return Victims(clients, np.array(samples))


@dataclass(frozen=True)
class VictimStart:
    """Some victims as they begin a round: from which weights, and by which mechanisms and budgets."""

    federation: Federation
    round: int
    weights: torch.Tensor
    """Global model (d,), or those of several rounds (k, d), each that of as many victims in turn."""
    own: torch.Tensor
    """Initial weights: the global model (d,), or (V, d) if clients keep some, or in several rounds."""
    columns: Columns
    """ε, low and high, (V, 1) each."""
    noted: Mapping[str, Floats]
    """The server's notes from earlier uploads, by name, one row per victim."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return self.federation.plan.pieces(self.round)

    @property
    def kept(self) -> bool:
        """Whether clients begin with weights of their own."""
        return self.own.dim() > self.weights.dim()

    def of(self, victims: slice) -> VictimStart:
        epsilon, low, high = (column[victims] for column in self.columns)
        own = self.own if self.own.dim() == 1 else self.own[victims]
        noted = {name: rows[victims] for name, rows in self.noted.items()}
        return replace(self, own=own, columns=(epsilon, low, high), noted=noted)

    def encoded(self, values: Vectors, noise: np.random.Generator, times: int = 1) -> list[Encoded]:
        """The victims' uploads (V, m) as the run's system encodes them, so many times in a round."""
        joined, clients = taking_part(self.federation), np.zeros(len(values), dtype=np.int64)
        joined.begin(self.weights.cpu().numpy(), clients)
        return [joined.encode(values, *self.columns[1:], clients, noise) for _ in range(times)]

    def sent_of(
        self, x: NDArray[np.float32], y: NDArray[np.int64], own: torch.Tensor | None = None
    ) -> Vectors:
        """Uploads, before clipping and noise, of one step on each of n labelled images, from `own` weights
        (d,) or (n, d), by default those of n victims.
        """
        labels = torch.from_numpy(y).to(self.weights.device)
        weights = self.own if own is None else own
        return one_step(self.federation, self.federation.samples_of(x), labels, weights)


def begun(federation: Federation, clients: NDArray[np.int64], before: State | None = None) -> VictimStart:
    """The round of some clients after a state of the run, by default the first."""
    before = before or untrained(federation)
    weights, joined = federation.placed(before.weights), taking_part(federation, before.arrays)
    kept = joined.begin(before.weights, clients)
    own = weights if kept is None else torch.from_numpy(kept).to(weights)
    noted = {name: rows.copy() for name, rows in joined.noted(clients).items()}
    columns = federation.population.columns(clients)
    return VictimStart(federation, before.round + 1, weights, own, columns, noted)


def begun_together(
    federation: Federation, clients: NDArray[np.int64], before: Sequence[State]
) -> VictimStart:
    """The rounds after some states as one: the clients in each in turn; several only without a system."""
    first = begun(federation, clients, before[0])
    if len(before) == 1:
        return first
    weights = torch.stack([federation.placed(state.weights) for state in before])
    epsilon, low, high = (np.tile(column, (len(before), 1)) for column in first.columns)
    own = weights.repeat_interleave(len(clients), 0)
    return replace(first, weights=weights, own=own, columns=(epsilon, low, high))


def audit_values(start: VictimStart, samples: NDArray[np.int64]) -> Vectors:
    """Uploads (V, m) of one step on each victim's sample alone, before clipping and noise."""
    federation = start.federation
    chosen = torch.from_numpy(samples).to(federation.device)
    return one_step(federation, federation.train_x[chosen], federation.train_y[chosen], start.own)


def one_step(federation: Federation, x: torch.Tensor, y: torch.Tensor, weights: torch.Tensor) -> Vectors:
    """Uploads (n, m), before clipping and noise, of one step on each of n labelled images, from `weights`
    (d,) or (n, d).
    """
    experiment, plan, network = federation.experiment, federation.plan, federation.recipe.model
    if experiment.target == "class_means":
        return messages(federation, x, y, np.ones(len(y), np.int64))[:, plan.sent].cpu().numpy()
    views = network.views(weights.expand(len(y), -1), federation.shape, federation.classes)
    alone, labels = x.unsqueeze(1), y.unsqueeze(1)
    weight = torch.ones_like(labels, dtype=alone.dtype)
    if (by := plan.record_clipping) is None:
        gradients = network.gradients(views, alone, labels, weight)
    else:  # the share of one record in an upload
        gradients = clipped_gradients(network, views, alone, labels, weight, by)
    local = experiment.local
    flat = torch.cat([gradients[name].flatten(1) for name in views], 1)
    step = local.optimizer.first_step(flat, local.learning_rate)
    sent = (step + weights if experiment.target == "weights" else step)[:, plan.sent]
    return sent.cpu().numpy()


def real_values(
    start: VictimStart, clients: NDArray[np.int64], shards: Sequence[NDArray[np.int64]] | None = None
) -> Vectors:
    """Uploads (V, m) of each client's whole local training, before clipping and noise; `shards`: other
    samples than the clients' own.
    """
    federation, experiment = start.federation, start.federation.experiment
    shards = [federation.shards[client] for client in clients] if shards is None else shards
    if experiment.target == "class_means":
        return messages_of(federation, shards)[:, federation.plan.sent].cpu().numpy()
    local, rows, joined = experiment.local, [], taking_part(federation)
    starts = start.own.expand(len(clients), -1)
    for client, own, shard in zip(clients.tolist(), starts, shards, strict=True):
        # a stream for each client and round, so that its batches do not depend on who else is attacked
        batches = stream(experiment.seed, "attack batches", start.round * experiment.clients.count + client)
        records = joined.records([shard], batches)
        batched = plan_batches([*records], local.epochs, local.batch_size, batches)
        rows.append(federation.engine.train(federation.recipe, own, federation.samples, batched))
    trained = torch.cat(rows)
    values = trained if experiment.target == "weights" else trained - start.own
    return values[:, federation.plan.sent].cpu().numpy()


def attacked(federation: Federation) -> Federation:
    """The federation with the uploads that an attacker can observe under the experiment's trust."""
    return replace(federation, plan=federation.plan.attacked)


def public_images(federation: Federation) -> PublicImages:
    """Held-out images that an attacker may know, in no client's training data."""
    count = len(federation.test_y)
    draw = stream(federation.experiment.seed, "public images")
    chosen = torch.from_numpy(draw.permutation(count)[:PUBLIC_IMAGES])
    return PublicImages(
        federation.pictures(federation.test_x[chosen]), federation.test_y[chosen].cpu().numpy()
    )


def observe(
    start: VictimStart,
    exact: Vectors,
    noise: np.random.Generator,
    upload: str = "audit",
    times: int = 1,
    public: PublicImages | None = None,
) -> dict[ControlKind | None, Observation]:
    """The server's observations of V victims' uploads, for each control.

    Args:
        exact: upload before clipping and noise, (V, m).
        noise: generator of the stream "attack noise"; a system encodes with it as well.
        upload: "audit" or "real".
        times: number of noisy uploads of the same values; controls are observed once.
        public: held-out images that the attacker may know.
    """
    federation, pieces, columns = start.federation, start.pieces, start.columns
    experiment, plan = federation.experiment, federation.plan
    audit, m, known = upload == "audit", exact.shape[1], start.weights.cpu().numpy()
    encoded = start.encoded(exact, noise, times)
    # ranges are public, and the same however often something is sent
    ranges = columns[0], encoded[0].low, encoded[0].high
    missing = [one.unsent for one in encoded if one.unsent is not None]
    previous = known[..., plan.sent]
    filled = previous if experiment.target == "weights" else np.zeros(1, dtype=np.float32)

    def seen(
        uploads: Vectors, parts: tuple[LayerNoise, ...], ends: tuple[Floats, Floats], clipped: bool = True
    ) -> Observation:
        mechanism = pieces[0].mechanism
        return Observation(
            uploads=uploads,
            previous=previous,
            target=experiment.target,
            optimizer=experiment.local.optimizer,
            nominal_rate=experiment.local.learning_rate,
            model=federation.recipe.model.shared,
            shape=federation.shape,
            classes=federation.classes,
            parts=parts,
            epsilon=columns[0][:, 0],
            low=ends[0],
            high=ends[1],
            batch_size=1 if audit else experiment.local.batch_size,
            epochs=1 if audit else experiment.local.epochs,
            public=public,
            noted=start.noted,
            device=str(federation.device),
            white=federation.white,
            middle=federation.middle,
            record_clipping=plan.record_clipping,
            clear=0.0 if parts[0][1].role == "identity" else plan.tells.clear / plan.uploaded,
            unsent=np.stack(missing[: len(uploads)]) if missing else None,
            shortened_by=mechanism if clipped and mechanism.region == "ball" else None,
        )

    def answered(one: Encoded) -> Vectors:
        if one.clear is None and one.unsent is None:
            return perturbed(pieces, one.values, ranges, noise, federation.laws)
        return uploaded(pieces, one, columns[0], filled, noise).values

    def without_noise(values: Vectors) -> Vectors:
        return np.where(missing[0], filled, values)[None] if missing else values[None]

    parts = tuple((piece.columns, piece.mechanism) for piece in pieces)
    nothing: tuple[LayerNoise, ...] = ((slice(0, m), mechanisms.get("none")),)
    wide = np.full(len(exact), limits.BOUND.maximum)
    low, high = (end[:, 0] if end.shape[1] == 1 else end for end in ranges[1:])
    return {
        None: seen(np.stack([answered(one) for one in encoded]), parts, (low, high)),
        "clean": seen(without_noise(exact), nothing, (-wide, wide), clipped=False),
        "clipped": seen(without_noise(clip_uploads(pieces, exact, ranges)), nothing, (low, high)),
    }
