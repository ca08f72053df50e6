"""Identification by the exact likelihood (reference: attacks, section 4).

The server has the model, so it knows what each candidate image would have uploaded; it has the
mechanism, so it knows how likely the upload it got is under each. No attacker that is given the
same candidates can do better on average (Neyman and Pearson; Bayes with equal priors).
"""

from __future__ import annotations

import numpy as np

from ldp_core.attacks.base import Identifier
from ldp_core.attacks.laws import log_likelihood
from ldp_core.attacks.observation import Observation, Public
from ldp_core.mechanisms.base import Floats


class Likelihood(Identifier):
    """Ranks labelled candidates by the likelihood of the upload."""

    label = "Exact likelihood"
    order = 10
    summary = "Computes what each candidate would have sent, and how likely the mechanism is to answer so."
    formula = r"\hat m=\arg\max_m\sum_j\log p\big(\tilde w_j\mid w_j(x_m)\big)"
    reference = "Neyman and Pearson 1933; attacks, section 4"
    also_knows = "the candidates: labelled images, one of which is the right one"

    def scores(self, seen: Observation, candidates: Public) -> Floats:
        victims, count = candidates.y.shape
        flat = candidates.x.reshape(victims * count, *seen.shape)
        uploads = seen.uploads_of(flat, candidates.y.ravel())
        return log_likelihood(seen, uploads.reshape(victims, count, -1))


def ranks(scores: Floats, right: int = 0) -> Floats:
    """(V,): the place of the right candidate, 1 for the first; a tie counts against the attacker."""
    own = scores[:, right : right + 1]
    found: Floats = np.sum(~(scores < own), axis=1)  # itself and all that are not below it
    return found
