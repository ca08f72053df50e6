"""Closed form up to brightness and contrast, for clients with a private layer ax + b before the network.

The first layer's gradient is δ(ax + b)ᵀ, so the ratio gives ax + b exactly. Pixels lie in [0, 1]; values
outside are shifted and scaled into it, without knowledge of a and b.
"""

import numpy as np

from ldp_core.attacks.base import Reconstructor
from ldp_core.attacks.observation import Image, Observation
from ldp_core.attacks.shared.first_layer import leading_of_known, scaled, trimmed
from ldp_core.mechanisms.base import Floats

BEYOND = 1e-4
"""Distance from [0, 1] that counts as rounding."""
ENDS = (0.01, 0.99)
"""Quantiles of the pixels that are mapped to black and white."""


class UpToContrast(Reconstructor):
    label = "Closed form, up to contrast"
    order = 8
    summary = "Reads the first layer, and stretches what comes out until it fits the range of an image."
    formula = r"\hat x=\frac{\hat z-\min\hat z}{\max\hat z-\min\hat z},\quad \hat z=a\,x+b"
    reference = "attacks, section 4: personal layers"

    def reconstruct(self, seen: Observation, *, generator: np.random.Generator) -> Image:
        z = leading_of_known(*trimmed(seen))
        one = z[:, -1:]
        sure = np.abs(one) > BEYOND * np.abs(z[:, :-1]).max(axis=1, keepdims=True)
        raw = np.where(sure, z[:, :-1] / np.where(sure, one, 1.0), scaled(z, seen.white))
        return stretched(raw).reshape(-1, 1, *seen.shape)


def stretched(pixels: Floats) -> Floats:
    """Images (V, F) rescaled into [0, 1] where they leave it."""
    low, high = (np.quantile(pixels, end, axis=1, keepdims=True) for end in ENDS)
    fits = (pixels.min(axis=1, keepdims=True) >= -BEYOND) & (pixels.max(axis=1, keepdims=True) <= 1 + BEYOND)
    return np.where(fits, pixels, (pixels - low) / np.maximum(high - low, 1e-300))
