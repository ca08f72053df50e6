"""Identification by the exact likelihood (reference: attacks, section 4).

The server has the model and knows the mechanism, so it can compute each candidate's upload, and the
likelihood of the received one under each. No attacker with the same candidates does better on average.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldp_core.attacks.base import Identifier
from ldp_core.attacks.observation import Observation, PublicImages
from ldp_core.attacks.shared.laws import log_likelihood
from ldp_core.mechanisms.base import Floats

ALIKE = 1e-12
"""Relative difference of log-likelihood sums that is rounding error."""


class Likelihood(Identifier):
    label = "Exact likelihood"
    order = 10
    summary = "Computes what each candidate would have sent, and how likely the mechanism is to answer so."
    formula = r"\hat m=\arg\max_m\sum_j\log p\big(\tilde w_j\mid w_j(x_m)\big)"
    reference = "Neyman and Pearson 1933; attacks, section 4"
    also_knows = (
        "the candidates: labelled images, one of which is the right one; and the layers that a client keeps "
        "for itself, if it keeps any: the worst case"
    )

    def scores(self, seen: Observation, candidates: PublicImages, uploads: Floats | None = None) -> Floats:
        if uploads is None:
            victims, count = candidates.y.shape
            flat = candidates.x.reshape(victims * count, *seen.shape)
            uploads = seen.uploads_of(flat, candidates.y.ravel()).reshape(victims, count, -1)
        return log_likelihood(seen, uploads)


@dataclass(frozen=True)
class Places:
    """Ranks of the true candidate for V victims."""

    rank: NDArray[np.int64]
    """Rank of the true candidate, (V,), 1 for the likeliest; ties are broken at random."""
    tied: NDArray[np.int64]
    """Number of candidates as likely as the true one, (V,), itself included."""
    credit: Floats
    """Score of a choice among the likeliest, (V,): 1/tied if the true candidate is among them, else 0."""


def places(scores: Floats, right: NDArray[np.int64], coin: Floats) -> Places:
    """Ranks of the true candidates, of index `right` (V,), by scores (V, M), higher for likelier (NaN counts
    as impossible); `coin` (V,), uniform in [0, 1), breaks ties.
    """
    known = np.where(np.isnan(scores), -np.inf, scores)
    own = np.take_along_axis(known, right[:, None], axis=1)
    finite = np.where(np.isfinite(known), np.abs(known), 0.0).max(axis=1, keepdims=True)
    apart = ALIKE * finite
    with np.errstate(invalid="ignore"):  # −∞ − (−∞): equal, below
        ahead = known - own > apart
        equal = (np.abs(known - own) <= apart) | (known == own)
    before, tied = ahead.sum(axis=1), equal.sum(axis=1)
    rank = 1 + before + np.minimum((coin * tied).astype(np.int64), tied - 1)
    return Places(rank, tied, credit=np.where(before == 0, 1 / tied, 0.0))
