"""Difference between two runs' accuracies with its uncertainty, over seeds and held-out samples.

Runs of one seed share everything except what is compared, and all runs use the same held-out samples, so
differences are taken by seed and by sample.
"""

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from ldp_core.attacks.findings.metrics import wilson
from ldp_core.judgement import Outcome, judged
from ldp_core.limits import THIN
from ldp_core.mechanisms.base import Floats

FEW = 5
"""Number of seeds up to which each difference is listed."""


@dataclass(frozen=True)
class Difference:
    """Difference of two accuracies: mean over seeds with a 95 % interval; unbounded for one seed.

    `outcome` uses a wider interval if the difference was picked among several for its size, valid for all of
    them at once.
    """

    mean: float
    half: float
    """Half-width of the interval, …"""
    wider: float
    """… and of the wider one that holds for all `among` differences at once (Bonferroni)."""
    seeds: int
    among: int = 1
    gaps: tuple[float, ...] = ()
    """Difference by seed; empty without common seeds."""
    held_out: int = 0
    """Number of held-out samples whose sampling error is included; 0 if not recorded by sample."""

    @property
    def low(self) -> float:
        """Lower end of the interval, at least −1."""
        return max(-1.0, self.mean - self.half)

    @property
    def high(self) -> float:
        return min(1.0, self.mean + self.half)

    @property
    def every(self) -> bool:
        """True if the first was ahead for each seed."""
        return bool(self.gaps) and min(self.gaps) > 0

    @property
    def outcome(self) -> Outcome:
        return judged(self.mean - self.wider, self.mean + self.wider)

    @property
    def clear(self) -> bool:
        """Whether chance does not explain the difference."""
        return self.outcome in ("holds", "contradicted")

    @property
    def each(self) -> str:
        """Differences by seed, like `59, 72 and 74`; "" for many seeds."""
        if not 1 < len(self.gaps) <= FEW:
            return ""
        *most, last = map(in_points, self.gaps)
        return f"{', '.join(most)} and {last}"

    def in_words(self) -> str:
        """Number of seeds and interval in points, in words."""
        samples = f" and the {self.held_out:,} held-out samples".replace(",", THIN) if self.held_out else ""
        over = f"{self.seeds} shared seeds{samples}" if self.gaps else "their seeds, which are not paired"
        luck = f"; among {self.among} differences the largest may be so by chance"
        each = f"{self.each} by seed; " if self.each else ""
        return (
            f"{each}95{THIN}% interval {in_points(self.low)} to {in_points(self.high)}, over {over}"
            + luck * (self.low * self.high > 0 and not self.clear)
        )


def in_points(share: float) -> str:
    """A share, or a difference of shares, in percentage points."""
    digits = 0 if abs(share) >= 0.0995 else 1
    text = f"{100 * abs(share):.{digits}f}".removesuffix(".0")
    return "−" * (share < 0 and text != "0") + text


def difference(
    first: ArrayLike,
    second: ArrayLike,
    right: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
    among: int = 1,
) -> Difference:
    """Mean difference of two accuracies with its interval.

    Over seeds by Student's t. If `right` is given, the variation over held-out samples is added. Both include
    the interaction of seed and sample, so the interval is conservative.

    Args:
        first: accuracies (S,), by seed.
        second: accuracies of the same seeds.
        right: for both, whether each held-out sample was classified correctly, (S, n).
        among: number of differences from which this one was picked for its size.
    """
    gaps: Floats = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    seeds, held_out, uppers = len(gaps), 0, _uppers(among)
    halves = np.full(2, inf) if seeds < 2 else stdtrit(seeds - 1, uppers) * gaps.std(ddof=1) / sqrt(seeds)
    if right is not None:
        each: Floats = (right[0].astype(np.float64) - right[1]).mean(axis=0)
        held_out = len(each)
        halves = np.hypot(halves, ndtri(uppers) * each.std(ddof=1) / sqrt(held_out))
    mean, (half, wider) = float(gaps.mean()) if seeds else 0.0, map(float, halves)
    return Difference(mean, half, wider, seeds, among, tuple(gaps.tolist()), held_out)


def _uppers(among: int) -> Floats:
    """Quantile levels of the upper end: of one interval, and of all at once."""
    return 1 - 0.025 / np.array([1, among])


def unpaired(first: ArrayLike, second: ArrayLike, among: int = 1) -> Difference:
    """As `difference` without common seeds: Welch's t, so seed noise counts twice.

    Args:
        first: accuracies (S,).
        second: accuracies (T,), of other seeds or other data.
        among: as for `difference`.
    """
    sides = [np.asarray(one, dtype=np.float64) for one in (first, second)]
    gap, seeds = float(sides[0].mean() - sides[1].mean()), min(map(len, sides))
    if seeds < 2:
        return Difference(gap, inf, inf, seeds, among)
    shares = [float(one.var(ddof=1)) / len(one) for one in sides]
    if (spread := sum(shares)) == 0:
        return Difference(gap, 0.0, 0.0, seeds, among)
    freedom = spread**2 / sum(share**2 / (len(one) - 1) for share, one in zip(shares, sides, strict=True))
    half, wider = map(float, stdtrit(freedom, _uppers(among)) * sqrt(spread))
    return Difference(gap, half, wider, seeds, among)


def margin(accuracy: float, held_out: int) -> float:
    """Half of Wilson's interval: sampling error of an accuracy over `held_out` samples."""
    low, high = wilson(round(accuracy * held_out), held_out)
    return (high - low) / 2
