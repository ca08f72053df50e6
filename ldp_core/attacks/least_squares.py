"""The closed form for a fully connected first layer (reference: attacks, section 2).

For one image x, the gradient of the first layer's weights is δxᵀ and that of its bias is δ, for the same δ.
So x is the ratio of the two: exactly, without optimisation and without the label. With noise, the
least-squares ratio over all rows is Σ b_r W_r / Σ b_r².
"""

import numpy as np

from ldp_core.attacks.base import Facts, Reconstructor
from ldp_core.attacks.observation import Image, Observation
from ldp_core.attacks.trimmed import Trimmed


class LeastSquares(Reconstructor):
    label = "Closed form, least squares"
    order = 1
    summary = "Divides the first layer's weight gradient by its bias gradient: without noise, the image."
    formula = r"\hat x=\frac{\sum_r \nabla b_r\,\nabla W_r}{\sum_r (\nabla b_r)^2}"
    reference = "Phong et al. 2018; Geiping et al. 2020, proposition 3.1; attacks, section 2"
    many_models = True

    def suits(self, facts: Facts) -> float | None:
        return 2.0 if facts.upload == "audit" and facts.mechanism.role == "identity" else None

    def reconstruct(self, seen: Observation, *, generator: np.random.Generator) -> Image:
        if seen.unsent is not None:  # a ratio needs both of its parts
            return Trimmed().reconstruct(seen, generator=generator)
        rows = seen.first_layer(seen.gradients)
        weight, bias = rows[..., :-1], rows[..., -1]
        energy = np.maximum((bias**2).sum(axis=1), 1e-30)
        image = np.einsum("vr,vri->vi", bias, weight) / (energy[:, None] * seen.white)
        return image.reshape(-1, 1, *seen.shape)
