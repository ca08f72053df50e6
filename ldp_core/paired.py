"""How far apart two runs are, and how sure that is: over seeds, and over the samples that were held out.

Runs of one seed share all but what is compared, and all runs are scored on the same held-out samples, so
differences are taken seed by seed and sample by sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from ldp_core.attacks.findings.metrics import wilson
from ldp_core.judgement import Outcome, judged
from ldp_core.mechanisms.base import Floats


@dataclass(frozen=True)
class Difference:
    """Of two accuracies: the mean over seeds, with its 95 % interval; unbounded where one seed is all."""

    mean: float
    half: float
    """Half the interval's length."""
    seeds: int
    held_out: int = 0
    """Samples whose own error is in the interval; 0 where it is not known sample by sample."""

    every: bool = False
    """The first was ahead with each of the seeds."""

    @property
    def low(self) -> float:
        """Two accuracies are never further apart than 1."""
        return max(-1.0, self.mean - self.half)

    @property
    def high(self) -> float:
        return min(1.0, self.mean + self.half)

    @property
    def outcome(self) -> Outcome:
        """Of the statement that the first is the more accurate."""
        return judged(self.low, self.high)

    @property
    def clear(self) -> bool:
        """True where chance does not explain it."""
        return self.outcome in ("holds", "contradicted")


def difference(
    first: ArrayLike,
    second: ArrayLike,
    right: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
    comparisons: int = 1,
) -> Difference:
    """How much more accurate the first is than the second.

    Over seeds by Student's t. Where it is known which of n held-out samples each run names right, other
    samples are counted with, by the spread of the mean difference from sample to sample. Both contain what
    seed and sample do together, so the interval is rather too long than too short.

    Args:
        first: accuracies (S,), seed by seed.
        second: the same seeds'.
        right: for both, (S, n): what was named right.
        comparisons: of how many differences this is the one that was picked for its size: the interval then
            holds for all of them at once (Bonferroni).
    """
    gaps: Floats = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    seeds, upper = len(gaps), 1 - 0.025 / comparisons
    half = inf if seeds < 2 else float(stdtrit(seeds - 1, upper) * gaps.std(ddof=1)) / sqrt(seeds)
    every = bool((gaps > 0).all())
    if right is None:
        return Difference(float(gaps.mean()), half, seeds, every=every)
    each: Floats = (right[0].astype(np.float64) - right[1]).mean(axis=0)
    over_samples = float(ndtri(upper)) * float(each.std(ddof=1)) / sqrt(len(each))
    return Difference(float(gaps.mean()), float(np.hypot(half, over_samples)), seeds, len(each), every)


def unpaired(first: ArrayLike, second: ArrayLike, comparisons: int = 1) -> Difference:
    """The same of runs that share no seeds: by Welch's t, so the luck of the seeds is in it twice.

    Args:
        first: accuracies (S,).
        second: (T,), of other seeds or other data.
        comparisons: as for `difference`.
    """
    sides = [np.asarray(one, dtype=np.float64) for one in (first, second)]
    gap, seeds = float(sides[0].mean() - sides[1].mean()), min(map(len, sides))
    if seeds < 2:
        return Difference(gap, inf, seeds)
    shares = [float(one.var(ddof=1)) / len(one) for one in sides]
    if (spread := sum(shares)) == 0:
        return Difference(gap, 0.0, seeds)
    freedom = spread**2 / sum(share**2 / (len(one) - 1) for share, one in zip(shares, sides, strict=True))
    return Difference(gap, float(stdtrit(freedom, 1 - 0.025 / comparisons)) * sqrt(spread), seeds)


def margin(accuracy: float, held_out: int) -> float:
    """How far an accuracy may be from that on any other samples of the kind (half of Wilson's interval)."""
    low, high = wilson(round(accuracy * held_out), held_out)
    return (high - low) / 2
