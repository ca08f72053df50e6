"""Statistics of public images by class, independent of the model."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ldp_core.attacks.observation import Public
from ldp_core.mechanisms.base import Floats

GRID = 33
"""Number of pixel levels."""
SPREAD = np.array([0.05, 0.25, 0.4, 0.25, 0.05])
"""Smoothing of the histograms over neighbouring levels."""


@dataclass(frozen=True)
class Kind:
    """Mean image and pixel histograms of each class of public images."""

    means: NDArray[np.float32]
    """Mean image of each class, (classes, *shape); of all images for a class without any."""
    brightness: Floats
    """Smoothed histogram of each pixel by class, (classes, F, GRID)."""


@lru_cache(maxsize=2)
def kind_of(public: Public, classes: int) -> Kind:
    everything = public.x.mean(0)
    means = np.stack(
        [public.x[of].mean(0) if (of := public.y == y).any() else everything for y in range(classes)]
    )
    pixels = public.x.reshape(len(public.x), -1).astype(np.float64)
    features = pixels.shape[1]
    place = np.clip(np.rint(pixels * (GRID - 1)), 0, GRID - 1).astype(np.int64)
    bins = (public.y[:, None] * features + np.arange(features)) * GRID + place
    counts = np.bincount(bins.ravel(), minlength=classes * features * GRID).astype(np.float64)
    padded = np.pad(counts.reshape(classes, features, GRID), ((0, 0), (0, 0), (2, 2)), mode="edge")
    smooth = 0.02 + sum(w * padded[..., k : k + GRID] for k, w in enumerate(SPREAD))
    return Kind(means, smooth / smooth.sum(axis=-1, keepdims=True))
