"""Identification from a shuffled heap: which message a client sent, and which candidate the client holds.

In each trial a client holds one of the run's candidates, drawn anew, the other clients of its heap (or of a
part, which is easier for the attacker) one image each, and all messages are mixed. An attacker computes how
much likelier each message is for a candidate than for the mean upload of public images. Uploads are as in
`from_sum`.
"""

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
from ldp_core.leakage.from_sum import asked
from ldp_core.leakage.observe import Victims
from ldp_core.mechanisms.base import Floats

TRIALS = 100
VALUES = 2**25
"""Largest number of likelihoods of single values that are computed for a client."""


def from_heap(federation: Federation, victims: Victims, lineup: Candidates) -> list[dict[str, Any]]:
    """For each attacked client, question and control, how often the answer was right, as in the end event;
    empty where no heap hides uploads, or these are no single step's.
    """
    experiment, rows = federation.experiment, list[dict[str, Any]]()
    heaps, pieces = experiment.trust.heaps(experiment), experiment.pieces(1)
    if heaps is None or experiment.mechanism.role == "identity" or experiment.target == "class_means":
        return rows
    groups, sizes, each = heaps
    for client, noise, candidates, pool, known in asked(federation, victims, lineup, groups):
        terms, full = federation.population.columns([client]), int(sizes[client])
        size = min(full, max(2, VALUES // (TRIALS * candidates.shape[1] * (len(candidates) + 1))))
        right: dict[tuple[str, bool], int] = {}
        for _ in range(TRIALS):
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
        alone = Spending(experiment.releases).uploads((epsilon, low, high), 1)
        mixed = entries(experiment, [client])[0].upload if size == full else alone
        what = min(1.0, float(mary(mixed.bound, len(candidates))) + mixed.delta)
        # two places differ by one client's message and another's, hence by twice ε
        caps = {"who": (size, float(mary(2 * alone.bound, size))), "what": (len(candidates), what)}
        for (question, clean), count in sorted(right.items()):
            many, cap = caps[question]
            row = {"client": client + 1, "question": question, "clean": clean, "right": count, "heap": size}
            rows.append(row | {"tries": TRIALS, "candidates": many, "cap": None if clean else cap})
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
