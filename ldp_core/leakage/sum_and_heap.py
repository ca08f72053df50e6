"""Identification from a noisy sum or a shuffled heap of uploads of one step on one image, from the model that
the run begins with. In each trial a client holds one of the run's candidates, drawn anew.

In a sum a client takes part with the probability that it has in a run; the others hold one image each, and
the sum has the noise that its guarantee counts on. With help, an attacker knows the other uploads; without,
they count as normal noise, with mean and variance of the uploads of public images. In a heap (or a part of
it, which is easier for the attacker) an attacker computes how much likelier each message is for a candidate
than for the mean upload of public images.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import logsumexp

from ldp_core.accounting import Spending, entries
from ldp_core.attacks.findings.bounds import mary
from ldp_core.experiment import Piece
from ldp_core.federated.federation import Federation, untrained
from ldp_core.federated.upload import Columns, Vectors, clip_uploads, perturbed, within
from ldp_core.leakage.candidates import Candidates
from ldp_core.leakage.observe import Victims, begun, public_images
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream

TRIALS = 200
POOL = 1000
"""Clients of whom one image is looked at; others' uploads are drawn from these."""
HEAP_TRIALS, VALUES = 100, 2**25
"""Trials with a heap, and the largest number of likelihoods of single values computed for a client."""


def from_sum(federation: Federation, victims: Victims, lineup: Candidates) -> list[dict[str, Any]]:
    """For each attacked client with help and without, how often its image was picked out of the candidates:
    `client` (from 1), `helped`, `right`, `tries` and `candidates`; empty where no sum hides uploads.
    `federation` is as an attacker has it (`observe.attacked`).
    """
    plan, rows = federation.plan, list[dict[str, Any]]()
    if (sums := plan.experiment.trust.sums(plan.terms)) is None or not len(victims.clients):
        return rows
    groups, chances = sums
    for client, noise, candidates, pool, known in asked(federation, victims, lineup, groups):
        epsilon, low, high = federation.population.columns(np.array([client]))
        law: Any = plan.pieces(1)[0].mechanism.at(epsilon, low, high)
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


def from_heap(federation: Federation, victims: Victims, lineup: Candidates) -> list[dict[str, Any]]:
    """For each attacked client, question and control, how often the answer was right, as in the end event;
    empty where no heap hides uploads, or these are no single step's.
    """
    plan, rows = federation.plan, list[dict[str, Any]]()
    experiment = plan.experiment
    heaps, pieces = experiment.trust.heaps(plan.terms), plan.pieces(1)
    if heaps is None or experiment.mechanism.role == "identity" or experiment.target == "class_means":
        return rows
    groups, sizes, each = heaps
    for client, noise, candidates, pool, known in asked(federation, victims, lineup, groups):
        terms, full = federation.population.columns([client]), int(sizes[client])
        size = min(full, max(2, VALUES // (HEAP_TRIALS * candidates.shape[1] * (len(candidates) + 1))))
        right: dict[tuple[str, bool], int] = {}
        for _ in range(HEAP_TRIALS):
            true, place = int(noise.integers(len(candidates))), int(noise.integers(size))
            exact = np.insert(pool[: size - 1], place, candidates[true], axis=0)
            sent = perturbed(pieces, exact, terms, noise).astype(np.float64, copy=False)
            ratios = _ratios(pieces, terms, sent, candidates, known.mean(axis=0))
            # without noise the nearest is as good as certain
            for clean, more in ((False, ratios), (True, -1e9 * (exact - candidates[:, None]) ** 2)):
                whole = logsumexp(more if each else more.sum(axis=2, keepdims=True), axis=1).sum(axis=1)
                found = {"what": np.argmax(whole) == true}
                found |= {} if each or size < 2 else {"who": np.argmax(more[true].sum(axis=1)) == place}
                for question, came in found.items():
                    right[question, clean] = right.get((question, clean), 0) + int(came)
        epsilon, low, high = (float(one[0, 0]) for one in terms)
        alone = Spending(plan.releases).uploads((epsilon, low, high), 1)
        mixed = entries(plan, [client])[0].upload if size == full else alone
        what = min(1.0, float(mary(mixed.bound, len(candidates))) + mixed.delta)
        # two places differ by one client's message and another's, hence by twice ε
        caps = {"who": (size, float(mary(2 * alone.bound, size))), "what": (len(candidates), what)}
        for (question, clean), count in sorted(right.items()):
            many, cap = caps[question]
            row = {"client": client + 1, "question": question, "clean": clean, "right": count, "heap": size}
            rows.append(row | {"tries": HEAP_TRIALS, "candidates": many, "cap": None if clean else cap})
    return rows


def _ratios(pieces: Sequence[Piece], terms: Columns, heap: Floats, values: Floats, usual: Floats) -> Floats:
    """(M, n, ·): log-likelihood ratio of each message's weights (or layers), of each of M uploads to the
    usual one.
    """
    parts = []
    for piece in pieces:
        law, own = piece.mechanism.at(*within(terms, piece)), heap[:, piece.columns]
        each = np.array([law.log_prob(own, value[piece.columns]) for value in (*values, usual)])
        parts.append(np.reshape(each[:-1] - each[-1], (len(values), len(heap), -1)))
    return np.concatenate(parts, axis=2)
