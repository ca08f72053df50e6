"""What a server that lies sends in one round, and what the silenced clients of a sum then add."""

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core.attacks import Observation, PublicImages, reconstructor
from ldp_core.attacks.findings import metrics
from ldp_core.attacks.findings.verdict import RECOVERED_DB
from ldp_core.attacks.observation import Image
from ldp_core.attacks.servers import Server, Task
from ldp_core.attacks.servers.silencing import Silencing
from ldp_core.federated.upload import Vectors, clip_uploads
from ldp_core.leakage.observe import ControlKind, VictimStart, observe, real_values
from ldp_core.streams import stream

MOST_SILENCED = 100
"""Largest number of silenced clients that are trained: none of them learns anything."""


def observe_lied(
    server: Server,
    start: VictimStart,
    clients: NDArray[np.int64],
    public: PublicImages,
    noise: np.random.Generator,
    times: int = 1,
) -> dict[ControlKind | None, Observation]:
    """Observations, for each control, of some clients' real uploads in a round of which a server that lies
    makes the model: of the size that gives the most of its public images back in a trial of that control.
    """
    made = [_from(start, server.crafted(_task(start, public), size)) for size in server.sizes]
    tried = [_tried(server, one, clients, public, times) for one in made]
    added, found = silenced(server, start, clients, public), dict[ControlKind | None, Observation]()
    for control in tried[0]:
        ranked = [(back[control], back["clean"], -place) for place, back in enumerate(tried)]
        one = made[-max(ranked)[-1]]
        seen = observe(one, real_values(one, clients), noise, "real", times, public)[control]
        found[control] = seen if added is None else replace(seen, uploads=seen.uploads + added)
    return found


def _from(start: VictimStart, weights: NDArray[np.float32]) -> VictimStart:
    placed = start.federation.placed(weights)
    return replace(start, weights=placed, own=placed)


def _task(start: VictimStart, public: PublicImages) -> Task:
    federation, (_, low, high) = start.federation, start.columns
    experiment, plan = federation.experiment, federation.plan
    samples = federation.samples_of(public.x).flatten(1).cpu().numpy().astype(np.float64)
    inside = np.minimum(np.abs(low), np.abs(high)).min() / 2 if experiment.target == "weights" else 1.0
    return Task(
        slices=federation.recipe.model.slices(federation.shape, federation.classes),
        weights=start.weights.cpu().numpy(),
        public=samples,
        images=round(plan.records),
        room=float(inside),
        generator=stream(experiment.seed, "crafted model", start.round),
    )


def _tried(
    server: Server, start: VictimStart, clients: NDArray[np.int64], public: PublicImages, times: int
) -> dict[ControlKind | None, int]:
    """Number of public images back from uploads made of them, for each control."""
    federation, count = start.federation, round(start.federation.plan.records)
    x, y = federation.samples_of(public.x[:count]), torch.from_numpy(public.y[:count]).to(federation.device)
    trial = replace(start, federation=replace(federation, train_x=x, train_y=y))
    exact = real_values(trial, clients, [np.arange(len(y))] * len(clients))
    noise = stream(federation.experiment.seed, "trial of a lie", start.round)
    reader, found = reconstructor(server.reader), dict[ControlKind | None, int]()
    for control, seen in observe(start, exact, noise, "real", times, public).items():
        guesses = reader.reconstruct(seen.with_ranges_read(), generator=noise)
        found[control] = sum(_back(own, public.x[:count].astype(np.float64)) for own in guesses)
    return found


def _back(guesses: Image, images: Image) -> int:
    usable = guesses[np.isfinite(guesses).reshape(len(guesses), -1).all(axis=1)]
    return int((metrics.psnr_pairs(usable, images) >= RECOVERED_DB).any(axis=0).sum()) if len(usable) else 0


def silenced(
    server: Server, start: VictimStart, clients: NDArray[np.int64], public: PublicImages
) -> Vectors | None:
    """What the other clients of each one's sum add to it beyond what the server knows beforehand, (V, m): all
    that these, silenced, have learnt; None where none is silenced.
    """
    federation, plan = start.federation, start.federation.plan
    experiment = plan.experiment
    sums = experiment.trust.sums(plan.terms)
    if not isinstance(server, Silencing) or sums is None:
        return None
    dead, everyone = server.dead(_task(start, public)), np.arange(min(len(sums[0]), MOST_SILENCED))
    sent = real_values(_from(start, dead), everyone)
    sent = clip_uploads(start.pieces, sent, federation.population.columns(everyone))
    learnt = sent - dead[plan.sent] if experiment.target == "weights" else sent
    beside = (sums[0][clients, None] == sums[0][everyone]) & (clients[:, None] != everyone)
    added: Vectors = beside.astype(np.float32) @ learnt
    return added
