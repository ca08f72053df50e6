"""How close a reconstruction is to the image, on pixels clamped to [0, 1]."""

from __future__ import annotations

import numpy as np

from ldp_core.attacks.base import Image
from ldp_core.mechanisms.base import Floats

PSNR_CAP = 120.0
"""In dB; an exact copy would be infinite, which JSON cannot say."""


def psnr(reconstruction: Image, original: Image) -> Floats:
    """Peak signal-to-noise ratio in dB, one for each of (V, *shape), at most PSNR_CAP.

    Peak 1: 10·log₁₀(1 / mean squared error). 20 dB is a mean squared error of 0.01.
    """
    error = (clamped(reconstruction) - clamped(original)) ** 2
    mse = error.reshape(len(error), -1).mean(axis=1)
    return -10 * np.log10(np.maximum(mse, 10 ** (-PSNR_CAP / 10)))


def ncc(reconstruction: Image, original: Image) -> Floats:
    """Normalised cross-correlation in [−1, 1], one for each; 0 where an image is constant.

    It ignores brightness and contrast, so it sees an image that PSNR misses.
    """
    a, b = (clamped(image).reshape(len(image), -1) for image in (reconstruction, original))
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    scale = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    return np.where(scale > 1e-12, (a * b).sum(axis=1) / np.maximum(scale, 1e-12), 0.0)


def clamped(image: Image) -> Image:
    """Pixels limited to [0, 1] as float64; what is not a number becomes 0."""
    return np.clip(np.nan_to_num(np.asarray(image, dtype=np.float64), nan=0.0), 0.0, 1.0)
