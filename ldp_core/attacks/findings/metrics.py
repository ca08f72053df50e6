"""Metrics of reconstruction quality, on pixels clamped to [0, 1]."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ldp_core.attacks.observation import Image
from ldp_core.mechanisms.base import Floats

PSNR_CAP = 120.0
"""PSNR in dB of an exact copy, which would be infinite; JSON has no infinity."""
SSIM_WINDOW = 7
"""Side in pixels of the window in which structure is compared, or the largest odd one that fits."""
MOST_PAIRS = 20
"""Largest number of a batch's images shown beside their reconstructions."""
TINY = 1e-12


def psnr(reconstruction: Image, original: Image) -> Floats:
    """Peak signal-to-noise ratio in dB of each of (V, *shape): 10·log₁₀(1 / mean squared error)."""
    error = (clamped(reconstruction) - clamped(_alike(reconstruction, original))) ** 2
    return _decibels(error.reshape(len(error), -1).mean(axis=1))


def psnr_pairs(reconstructions: Image, originals: Image) -> Floats:
    """PSNR in dB of each of M reconstructions against each of n originals, (M, n)."""
    a, b = (clamped(image).reshape(len(image), -1) for image in (reconstructions, originals))
    squares = (a**2).mean(axis=1)[:, None] + (b**2).mean(axis=1) - 2 * (a @ b.T) / a.shape[1]
    found = _decibels(np.maximum(squares, 0.0))
    # a difference of large sums has few digits left where two images are nearly equal
    for i, j in zip(*np.nonzero(squares < 1e-6), strict=True):
        found[i, j] = _decibels(((a[i] - b[j]) ** 2).mean())
    return found


def ncc(reconstruction: Image, original: Image) -> Floats:
    """Normalised cross-correlation in [−1, 1] of each of (V, *shape), whatever brightness and contrast; 0
    where an image is constant.
    """
    a, b = _centred(reconstruction), _centred(_alike(reconstruction, original))
    scale = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    return np.where(scale > TINY, (a * b).sum(axis=1) / np.maximum(scale, TINY), 0.0)


def ncc_pairs(reconstructions: Image, originals: Image) -> Floats:
    """Normalised cross-correlation of each of M reconstructions with each of n originals, (M, n)."""
    return ncc_grouped(reconstructions[None], originals[None])[0]


def ncc_grouped(reconstructions: Image, originals: Image) -> Floats:
    """`ncc_pairs` of each of V groups: of (V, M, *shape) with (V, n, *shape), (V, M, n)."""
    a, b = (
        _centred(image.reshape(-1, *image.shape[2:])).reshape(*image.shape[:2], -1)
        for image in (reconstructions, originals)
    )
    scale = np.sqrt((a**2).sum(axis=2)[:, :, None] * (b**2).sum(axis=2)[:, None])
    return np.where(scale > TINY, (a @ b.swapaxes(1, 2)) / np.maximum(scale, TINY), 0.0)


def ssim(reconstruction: Image, original: Image) -> Floats:
    """Structural similarity in [−1, 1] of each of (V, [channels,] height, width): Wang et al. 2004 with a
    square window, sample covariances, K₁ = 0.01, K₂ = 0.03, averaged over inner windows and channels.
    """
    a, b = clamped(reconstruction), clamped(_alike(reconstruction, original))
    side = min(SSIM_WINDOW, *a.shape[-2:])
    side -= 1 - side % 2

    def mean(image: Image) -> Floats:
        found: Floats = sliding_window_view(image, (side, side), axis=(-2, -1)).mean(axis=(-2, -1))
        return found

    unbiased = side**2 / max(1, side**2 - 1)
    mean_a, mean_b = mean(a), mean(b)
    variances = unbiased * (mean(a * a) - mean_a**2 + mean(b * b) - mean_b**2)
    covariance = unbiased * (mean(a * b) - mean_a * mean_b)
    light = (2 * mean_a * mean_b + 0.01**2) / (mean_a**2 + mean_b**2 + 0.01**2)
    structure = (2 * covariance + 0.03**2) / (variances + 0.03**2)
    return (light * structure).reshape(len(a), -1).mean(axis=1)


def clamped(image: Image) -> Image:
    """Pixels limited to [0, 1] as float64; NaN becomes 0."""
    found = np.asarray(image, dtype=np.float64)
    if found.size and found.min() >= 0 and found.max() <= 1:
        return found
    return np.clip(np.nan_to_num(found, nan=0.0), 0.0, 1.0)


def _alike(reconstruction: Image, original: Image) -> Image:
    """`original`; raises ValueError if shapes differ, which numpy might broadcast."""
    if np.shape(reconstruction) != np.shape(original):
        raise ValueError(f"images of shapes {np.shape(reconstruction)} and {np.shape(original)} differ")
    return original


def _centred(image: Image) -> Floats:
    flat = clamped(image).reshape(len(image), -1)
    return flat - flat.mean(axis=1, keepdims=True)


def _decibels(mse: Floats) -> Floats:
    return -10 * np.log10(np.maximum(mse, 10 ** (-PSNR_CAP / 10)))
