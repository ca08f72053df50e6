"""Intervals of shares: hits among trials, and the sampling error of an accuracy."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc

Floats = NDArray[np.float64]


def wilson(hits: float, trials: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """95 % interval of a share of `hits` among `trials` (Wilson 1927); (0, 1) without trials."""
    if trials == 0:
        return 0.0, 1.0
    low, high = intervals(hits, trials, z)
    return float(low), float(high)


def intervals(hits: ArrayLike, trials: ArrayLike, z: float = 1.959963984540054) -> Floats:
    """Wilson intervals (…, 2) of many shares; at least one trial each."""
    n = np.asarray(trials, dtype=np.float64)
    share, weight = np.asarray(hits, dtype=np.float64) / n, z**2 / n
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * np.sqrt(share * (1 - share) / n + weight / (4 * n))
    return np.stack([np.maximum(0.0, middle - half), np.minimum(1.0, middle + half)], axis=-1)


def by_chance(hits: float, trials: int, share: float) -> float:
    """Exact probability of at least `hits` hits in `trials` trials with hit probability `share`."""
    return float(betainc(hits, trials - hits + 1, share)) if hits > 0 else 1.0


def coinciding(trials: int) -> float:
    """Least standard deviation of what came out alike in so many trials: that of one more trial of each kind
    (Laplace's rule of succession).
    """
    return float(np.sqrt(trials + 1)) / (trials + 2)


def margin(accuracy: float, held_out: int) -> float:
    """Half of Wilson's interval: sampling error of an accuracy over `held_out` samples."""
    low, high = wilson(round(accuracy * held_out), held_out)
    return (high - low) / 2
