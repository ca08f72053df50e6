"""Identification from a shuffled heap: which message a client sent, and which candidate the client holds.

In each trial a client holds one of the run's candidates, drawn anew, the other clients of its heap hold one
image each, and all messages are mixed. An attacker computes how much likelier each message is for a candidate
than for the mean upload of public images. Uploads are of one step on one image, from the model that the run
begins with. Where a whole heap is too much to simulate, some of it is, which is easier for the attacker.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import logsumexp

from ldp_core.accounting import Spending, entries
from ldp_core.attacks.findings.bounds import mary
from ldp_core.experiment.schema import Piece
from ldp_core.federated.federation import Federation
from ldp_core.federated.terms import Columns, within
from ldp_core.federated.upload import perturbed
from ldp_core.leakage.candidates import Candidates
from ldp_core.leakage.from_sum import uploads_beside, uploads_of
from ldp_core.leakage.observe import Victims, public_images
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream

TRIALS = 100
VALUES = 2**25
"""Largest number of likelihoods of single values that are computed for a client."""


def from_heap(federation: Federation, victims: Victims, lineup: Candidates) -> list[dict[str, Any]]:
    """For each attacked client, each question, and with and without noise: how often the answer was right.

    Returns:
        Objects with `client` (from 1), `question` ("who": which of the messages; "what": which of the
        candidates), `clean` (no noise), `right`, `tries`, `candidates` (a guess is right once in so many),
        `heap` (number of messages) and `cap` (largest share that ε allows; null without noise); empty where
        no heap hides uploads, or these are no single step's.
    """
    experiment, rows = federation.experiment, list[dict[str, Any]]()
    heaps, pieces = experiment.trust.heaps(experiment), experiment.pieces(1)
    if heaps is None or experiment.mechanism.role == "identity" or experiment.target == "class_means":
        return rows
    groups, sizes, each = heaps
    public = public_images(federation)
    for v, client in enumerate(victims.clients.tolist()):
        noise, terms = (
            stream(experiment.seed, "measured", -1 - client),
            federation.population.columns([client]),
        )
        candidates = uploads_of(federation, client, lineup.any_class.x[v], lineup.any_class.y[v])
        usual = uploads_of(federation, client, public.x, public.y).mean(axis=0)
        fits = VALUES // (TRIALS * candidates.shape[1] * (len(candidates) + 1))
        size = min(int(sizes[client]), max(2, fits))
        alike = np.flatnonzero((groups == groups[client]) & (np.arange(len(groups)) != client))
        others = candidates[:0]
        if size > 1:
            others = uploads_beside(federation, client, noise.permutation(alike)[: size - 1])
        right: dict[tuple[str, bool], int] = {}
        for _ in range(TRIALS):
            true, place = int(noise.integers(len(candidates))), int(noise.integers(size))
            exact = np.insert(others, place, candidates[true], axis=0)
            sent = perturbed(pieces, exact.astype(np.float32), terms, noise).astype(np.float64)
            for clean, heap in ((False, sent), (True, exact)):
                more = _likelier(pieces, terms, heap, candidates, usual, clean)
                found = {"what": np.argmax(_of_heap(more, each)) == true}
                if not each and size > 1:
                    found["who"] = np.argmax(more[true].sum(axis=1)) == place
                for question, came in found.items():
                    right[question, clean] = right.get((question, clean), 0) + int(came)
        caps = _caps(federation, client, size, len(candidates))
        for (question, clean), count in sorted(right.items()):
            many, cap = (size if question == "who" else len(candidates)), None if clean else caps[question]
            row = {"client": client + 1, "question": question, "clean": clean, "right": count}
            rows.append(row | {"tries": TRIALS, "candidates": many, "heap": size, "cap": cap})
    return rows


def _likelier(
    pieces: Sequence[Piece], terms: Columns, heap: Floats, values: Floats, usual: Floats, clean: bool
) -> Floats:
    """(M, n, ·): log-likelihood ratio of each message's weights (or layers), of each of M uploads to the
    usual one; without noise, minus the squared distance from the former.
    """
    if clean:
        return np.stack([-np.square(heap - value) * 1e9 for value in values])
    parts = []
    for piece in pieces:
        law, own = piece.mechanism.at(*within(terms, piece)), heap[:, piece.columns]
        each = [law.log_prob(own, value[piece.columns]) for value in (*values, usual)]
        parts.append(
            np.reshape(each[:-1], (len(values), len(heap), -1)) - np.reshape(each[-1], (len(heap), -1))
        )
    return np.concatenate(parts, axis=2)


def _of_heap(more: Floats, each: bool) -> Floats:
    """(M,): log-likelihood ratio of a whole heap, from that of each message (M, n, ·); `each` weight may be
    of another client's message.
    """
    found: Floats = logsumexp(more, axis=1).sum(axis=1) if each else logsumexp(more.sum(axis=2), axis=1)
    return found


def _caps(federation: Federation, client: int, size: int, candidates: int) -> dict[str, float]:
    """Largest share of right answers to each question that ε allows. For "who", two places differ by one
    client's message and another's, hence by twice ε.
    """
    experiment = federation.experiment
    epsilon, low, high = (float(one[0, 0]) for one in federation.population.columns([client]))
    alone = Spending(experiment.releases).uploads((epsilon, low, high), 1).bound
    mixed = entries(experiment, [client])[0].upload
    what = float(mary(mixed.bound, candidates)) + mixed.delta
    return {"who": float(mary(2 * alone, size)), "what": min(1.0, what)}
