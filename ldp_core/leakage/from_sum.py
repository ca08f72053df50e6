"""Identification from a noisy sum, with and without the other clients' help.

In each trial a client holds one of the run's candidates, drawn anew, the other clients of its sum hold one
image each, and the sum has the noise that its guarantee counts on. With help, an attacker knows the other
uploads and subtracts them. Without, they count as normal noise, with mean and variance of the uploads of
public images. A client that is in a sum with some probability only is so in a trial, too. Uploads are of one
step on one image, from the model that the run begins with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core.federated.federation import Federation, taking_part, untrained
from ldp_core.federated.upload import Vectors, projected
from ldp_core.leakage.candidates import Candidates
from ldp_core.leakage.observe import Victims, begun, one_step, public_images
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream

TRIALS = 200
POOL = 1000
"""Clients of whom one image is looked at; others' uploads are drawn from these."""


def from_sum(federation: Federation, victims: Victims, lineup: Candidates) -> list[dict[str, Any]]:
    """For each attacked client with help and without: how often its image was picked out of the candidates.

    Args:
        federation: as an attacker has it (`observe.attacked`).
        lineup: the candidates of each victim.

    Returns:
        Objects with `client` (from 1), `helped`, `right`, `tries` and `candidates`; empty where no sum hides
        uploads.
    """
    experiment, rows = federation.experiment, list[dict[str, Any]]()
    if (sums := experiment.trust.sums(experiment)) is None or not len(victims.clients):
        return rows
    groups, chances = sums
    public = public_images(federation)
    for v, client in enumerate(victims.clients.tolist()):
        noise = stream(experiment.seed, "measured", -1 - client)
        epsilon, low, high = federation.population.columns(np.array([client]))
        law: Any = experiment.pieces(1)[0].mechanism.at(epsilon, low, high)
        sigma = float(law.sigma[0, 0])
        candidates = uploads_of(federation, client, lineup.any_class.x[v], lineup.any_class.y[v])
        beside = np.flatnonzero((groups == groups[client]) & (np.arange(len(groups)) != client))
        pool = uploads_beside(federation, client, noise.permutation(beside)[:POOL])
        known = uploads_of(federation, client, public.x, public.y)
        count = round(float(chances[beside].sum()))
        mean, spread = count * known.mean(axis=0), count * known.var(axis=0)
        right = np.zeros(2, dtype=np.int64)
        for _ in range(TRIALS):
            true = int(noise.integers(len(candidates)))
            others, there = _total(pool, count, noise), noise.random() < chances[client]
            seen = candidates[true] * there + others + sigma * noise.standard_normal(candidates.shape[1])
            helped = (((seen - others) - candidates) ** 2).sum(axis=1)
            alone = (((seen - mean) - candidates) ** 2 / (sigma**2 + spread)).sum(axis=1)
            right += np.argmin(helped) == true, np.argmin(alone) == true
        for helped_by, count in zip((True, False), right.tolist(), strict=True):
            found = {"client": client + 1, "helped": helped_by, "right": count}
            rows.append(found | {"tries": TRIALS, "candidates": len(candidates)})
    return rows


def uploads_beside(federation: Federation, client: int, others: NDArray[np.int64]) -> Floats:
    """(n, m): clipped uploads of the first image of each of n other clients, made as if by `client`."""
    samples = np.array([federation.shards[one][0] for one in others], dtype=np.int64)
    pictures = federation.pictures(federation.train_x[torch.from_numpy(samples)])
    return uploads_of(federation, client, pictures, federation.train_y.cpu().numpy()[samples])


def uploads_of(federation: Federation, client: int, x: Vectors, y: Any) -> Floats:
    """(n, m): clipped uploads of a client for each of n pictures, before noise."""
    start = untrained(federation)
    weights, clients = federation.placed(start.weights), np.full(len(x), client)
    own = begun(clients, weights, taking_part(federation, start.arrays)).own
    made = one_step(federation, federation.samples_of(x), torch.from_numpy(y).to(weights.device), own)
    pieces = federation.experiment.pieces(1)
    return projected(pieces, made, federation.population.columns(clients)).astype(np.float64)


def _total(pool: Floats, count: int, noise: np.random.Generator) -> Floats:
    """(m,): a sum of so many uploads, drawn from some with replacement."""
    if not count:
        return np.zeros(pool.shape[1])
    often = noise.multinomial(count, np.full(len(pool), 1 / len(pool)))
    found: Floats = often @ pool
    return found
