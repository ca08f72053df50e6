"""Identification from a noisy sum, with and without the other clients' help.

In each trial a client holds one of the run's candidates, drawn anew, and is in the sum with the probability
that it has in a run; the others hold one image each, and the sum has the noise that its guarantee counts on.
With help, an attacker knows the other uploads. Without, they count as normal noise, with mean and variance of
the uploads of public images. Uploads are of one step on one image, from the model that the run begins with.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core.federated.federation import Federation, untrained
from ldp_core.federated.upload import Vectors, clip_uploads
from ldp_core.leakage.candidates import Candidates
from ldp_core.leakage.observe import Victims, begun, public_images
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream

TRIALS = 200
POOL = 1000
"""Clients of whom one image is looked at; others' uploads are drawn from these."""


def from_sum(federation: Federation, victims: Victims, lineup: Candidates) -> list[dict[str, Any]]:
    """For each attacked client with help and without, how often its image was picked out of the candidates:
    `client` (from 1), `helped`, `right`, `tries` and `candidates`; empty where no sum hides uploads.
    `federation` is as an attacker has it (`observe.attacked`).
    """
    experiment, rows = federation.experiment, list[dict[str, Any]]()
    if (sums := experiment.trust.sums(experiment)) is None or not len(victims.clients):
        return rows
    groups, chances = sums
    for client, noise, candidates, pool, known in asked(federation, victims, lineup, groups):
        epsilon, low, high = federation.population.columns(np.array([client]))
        law: Any = experiment.pieces(1)[0].mechanism.at(epsilon, low, high)
        sigma = float(law.sigma[0, 0])
        beside = np.flatnonzero((groups == groups[client]) & (np.arange(len(groups)) != client))
        count = round(float(chances[beside].sum()))
        mean, spread = count * known.mean(axis=0), count * known.var(axis=0)
        right = np.zeros(2, dtype=np.int64)
        for _ in range(TRIALS):
            true = int(noise.integers(len(candidates)))
            others = np.zeros(candidates.shape[1])
            if count:  # uploads drawn from the pool with replacement
                others = noise.multinomial(count, np.full(len(pool), 1 / len(pool))) @ pool
            there = noise.random() < chances[client]
            seen = candidates[true] * there + others + sigma * noise.standard_normal(candidates.shape[1])
            helped = (((seen - others) - candidates) ** 2).sum(axis=1)
            alone = (((seen - mean) - candidates) ** 2 / (sigma**2 + spread)).sum(axis=1)
            right += np.argmin(helped) == true, np.argmin(alone) == true
        for helped_by, count in zip((True, False), right.tolist(), strict=True):
            found = {"client": client + 1, "helped": helped_by, "right": count}
            rows.append(found | {"tries": TRIALS, "candidates": len(candidates)})
    return rows


def asked(
    federation: Federation, victims: Victims, lineup: Candidates, groups: NDArray[np.int64]
) -> Iterator[tuple[int, np.random.Generator, Floats, Floats, Floats]]:
    """For each attacked client: number, generator, and the clipped uploads (n, m) of its candidates, of one
    image of each other client in its group (of `POOL` at most), and of public images.
    """
    public, before = public_images(federation), untrained(federation)

    def uploads(client: int, x: Vectors, y: Any) -> Floats:
        start = begun(federation, np.full(len(x), client), before)
        return clip_uploads(start.pieces, start.sent_of(x, y), start.columns).astype(np.float64)

    for v, client in enumerate(victims.clients.tolist()):
        noise = stream(federation.experiment.seed, "measured", -1 - client)
        candidates = uploads(client, lineup.any_class.x[v], lineup.any_class.y[v])
        beside = np.flatnonzero((groups == groups[client]) & (np.arange(len(groups)) != client))
        samples = np.array([federation.shards[one][0] for one in noise.permutation(beside)[:POOL]], np.int64)
        pictures = federation.pictures(federation.train_x[torch.from_numpy(samples)])
        labels = federation.train_y.cpu().numpy()[samples]
        pool = uploads(client, pictures, labels) if len(beside) else candidates[:0]
        yield client, noise, candidates, pool, uploads(client, public.x, public.y)
