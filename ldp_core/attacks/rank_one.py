"""Reconstruction as a rank-1 approximation (reference: attacks, section 2).

The first layer's gradient with its bias as a further column is δ[x, 1]ᵀ. With noise of equal size everywhere,
the best rank-1 approximation has maximum likelihood (Eckart and Young), while a ratio of noisy numbers is
biased towards black.
"""

import numpy as np

from ldp_core.attacks.base import Reconstructor
from ldp_core.attacks.observation import Image, Observation
from ldp_core.attacks.shared.first_layer import leading, scaled


class RankOne(Reconstructor):
    label = "Closed form, rank 1"
    order = 2
    summary = "Finds the one image whose multiples come closest to all rows of the first layer's gradient."
    formula = (
        r"\min_{\delta,z}\big\|[\nabla W,\nabla b]-\delta z^\top\big\|_F,\quad \hat x=z_{1\dots n}/z_{n+1}"
    )
    reference = "Eckart and Young 1936; attacks, section 2"
    many_models = True

    def reconstruct(self, seen: Observation, *, generator: np.random.Generator) -> Image:
        z = leading(seen.first_layer(seen.gradients))
        return scaled(z, seen.white).reshape(-1, 1, *seen.shape)
