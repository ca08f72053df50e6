"""Difference between two runs' accuracies with its uncertainty, over seeds and held-out samples.

Runs of one seed share everything except what is compared, and all runs use the same held-out samples, so
differences are taken by seed and by sample. Of several designs the spread of seeds is pooled, and a picked
pair is judged by Tukey's studentized range. Seeds may be added after a look: with 3 to 5, with 6 to 11, with
12 to 23, … seeds each interval is of a smaller error rate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import hypot, inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri, ndtr, ndtri, stdtrit

from ldp_core.inference.interval import SEEDS, rate
from ldp_core.inference.outcome import Outcome, judged
from ldp_core.limits import THIN, number

Floats = NDArray[np.float64]
FEW = 5
"""Number of seeds up to which each difference is listed."""
CROWD = 12
"""Number of designs above which the range is taken at a lower rate, so that the rate holds where spreads are
not alike.
"""
UNLIKE = 0.1
"""Variance over held-out samples of two designs' difference, averaged over seeds, beside that of one run's
answers, where it is not recorded: nine of ten pairs of designs on digits have less.
"""


@dataclass(frozen=True)
class Difference:
    """Difference of two accuracies: mean over seeds with a 95 % interval, which holds also where seeds are
    added after a look, and of all differences at once from which this one was picked for its size.
    """

    mean: float
    half: float
    """Half-width of the interval; unbounded for fewer than `SEEDS` seeds."""
    seeds: int
    among: int = 1
    """Number of differences from which this one was picked."""
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
        return judged(self.mean - self.half, self.mean + self.half)

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

    @property
    def span(self) -> str:
        """The interval in points, in words."""
        if self.seeds < SEEDS:
            return "fewer than three seeds give no interval"
        return f"95{THIN}% interval {in_points(self.low)} to {in_points(self.high)}"

    def in_words(self) -> str:
        """Differences by seed and the interval, with what it covers, in words."""
        each = f"{self.each} by seed; " if self.each else ""
        if self.seeds < SEEDS:
            return each + self.span
        samples = f" and the {number(self.held_out, 6)} held-out samples" if self.held_out else ""
        over = f"{self.seeds} shared seeds{samples}" if self.gaps else "their seeds, which are not paired"
        picked = f" for all {self.among} pairs at once" if self.among > 1 else ""
        return f"{each}{self.span}{picked}, over {over}"


def in_points(share: float) -> str:
    """A share, or a difference of shares, in percentage points."""
    digits = 0 if abs(share) >= 0.0995 else 1
    text = f"{100 * abs(share):.{digits}f}".removesuffix(".0")
    return ("−" if share < 0 and text != "0" else "") + text


@dataclass(frozen=True)
class Spread:
    """Spread of seeds around what each of several designs reaches, from accuracies (designs, seeds)."""

    variance: float
    """Of the difference of two designs with one seed."""
    freedom: int
    designs: int


def spread(accuracies: ArrayLike | Sequence[ArrayLike]) -> Spread | None:
    """Pooled spread of designs (a, k) with the same k seeds; None for fewer than three designs or two seeds,
    where a pair has its own alone.
    """
    table: Floats = np.asarray(accuracies, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 3 or table.shape[1] < 2:
        return None
    left = table - table.mean(1, keepdims=True) - table.mean(0) + table.mean()
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    own = (left**2).sum(1)
    # a picked pair is of the widest designs: where spreads are unlike, each counts as often as it is wide
    unlike = max(1.0, float((own**2).mean() / (own.mean() ** 2 or 1.0)) / (1 + 2 / (table.shape[1] - 1)))
    return Spread(2 * unlike * float(own.sum()) / freedom, freedom, len(table))


def difference(
    first: ArrayLike,
    second: ArrayLike,
    right: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
    among: int = 1,
    pooled: Spread | None = None,
    held_out: int = 0,
) -> Difference:
    """Mean difference of two accuracies with its interval.

    Over seeds by Student's t, or by Tukey's range with the pooled spread or the pair's own if larger. The
    variation over held-out samples is added, without that of seeds at a sample if `right` is given.
    Fewer than `SEEDS` seeds give no verdict.

    Args:
        first: accuracies (S,), by seed.
        second: accuracies of the same seeds.
        right: for both, whether each held-out sample was classified correctly, (S, n).
        among: number of differences from which this one was picked for its size.
        pooled: spread of all the designs among which the pair was picked.
        held_out: number of held-out samples, whose sampling error is the least spread, without `right`.
    """
    mine, theirs = (np.asarray(one, dtype=np.float64) for one in (first, second))
    gaps: Floats = mine - theirs
    seeds, samples = len(gaps), 0
    if seeds < SEEDS:
        return Difference(float(gaps.mean()) if seeds else 0.0, inf, seeds, among, tuple(gaps.tolist()))
    if right is None:
        level = float((mine + theirs).mean()) / 2
        least = level * (1 - level) / held_out if held_out else 0.0
        sampled = UNLIKE * least
    else:
        apart: Floats = right[0].astype(np.float64) - right[1]
        samples = apart.shape[1]
        least = float(np.abs(apart).mean()) / samples
        within = float(apart.var(axis=0, ddof=1).mean()) / seeds  # of seeds' luck, which counts already
        between = max(0.0, float(apart.mean(axis=0).var(ddof=1)) - within)
        # two discordant samples more (as Agresti and Min 2005), or few that agree would be sure
        sampled = (between + 2 / samples) / samples
    own, upper = max(float(gaps.var(ddof=1)), least), _upper(seeds, among)
    width = float(stdtrit(seeds - 1, upper))
    if pooled:
        own = max(own, pooled.variance)
        spent = rate(seeds) * min(1.0, CROWD / pooled.designs)
        width = tukey(1 - spent, pooled.designs, pooled.freedom) / sqrt(2)
    half = hypot(width * sqrt(own / seeds), float(ndtri(upper)) * sqrt(sampled))
    return Difference(float(gaps.mean()), half, seeds, among, tuple(gaps.tolist()), samples)


def as_good(designs: Sequence[ArrayLike], best: int, held_out: int = 0) -> int:
    """Number of other designs (accuracies by seed) that are not clearly apart from the best of all."""
    pairs, pooled = len(designs) * (len(designs) - 1) // 2, spread(designs)
    others = [one for place, one in enumerate(designs) if place != best]
    gaps = (difference(designs[best], one, None, pairs, pooled, held_out) for one in others)
    return sum(not gap.clear for gap in gaps)


def ahead(tied: int, of: int) -> str:
    """How the first of several designs stands, of which so many others are as good (`as_good`)."""
    if of < 2:
        return ""
    return f" ({tied} other{'s' if tied > 1 else ''} may be as good)" if tied else ", surely"


@lru_cache(maxsize=256)
def tukey(level: float, designs: int, freedom: int) -> float:
    """Quantile of the studentized range of so many means; within 0.5 % of its exact value."""
    z = np.linspace(-8, 8, 161)
    x = np.append(np.linspace(0, 20, 201), 1e5)
    inside = (ndtr(z) - ndtr(z - x[:, None])) ** (designs - 1)
    of_range = designs * (inside * np.exp(-z * z / 2)).sum(1) * (z[1] - z[0]) / sqrt(2 * np.pi)
    ranks = (np.arange(1000) + 0.5) / 1000
    deviations = np.sqrt(chdtri(freedom, 1 - ranks) / freedom)
    low, high = 0.0, 1e4
    for _ in range(40):
        middle = (low + high) / 2
        below = float(np.interp(middle * deviations, x, of_range).mean())
        low, high = (middle, high) if below < level else (low, middle)
    return high


def _upper(seeds: int, among: int) -> float:
    """Quantile level of the upper end of each of `among` intervals that hold at once."""
    return 1 - rate(seeds) / 2 / among


def unpaired(first: ArrayLike, second: ArrayLike, among: int = 1, held_out: int = 0) -> Difference:
    """As `difference` without common seeds: Welch's t, so seed noise counts twice, and so do samples.

    Args:
        first: accuracies (S,).
        second: accuracies (T,), of other seeds or other data.
        among: as for `difference`.
        held_out: as for `difference`.
    """
    sides = [np.asarray(one, dtype=np.float64) for one in (first, second)]
    gap, seeds = float(sides[0].mean() - sides[1].mean()), min(map(len, sides))
    if seeds < SEEDS:
        return Difference(gap, inf, seeds, among)
    levels = [float(one.mean()) for one in sides]
    least = [level * (1 - level) / held_out if held_out else 0.0 for level in levels]
    shares = [max(float(one.var(ddof=1)), low) / len(one) for one, low in zip(sides, least, strict=True)]
    if (total := sum(shares)) == 0:
        return Difference(gap, 0.0, seeds, among)
    freedom = total**2 / sum(share**2 / (len(one) - 1) for share, one in zip(shares, sides, strict=True))
    upper = _upper(seeds, among)
    half = hypot(float(stdtrit(freedom, upper)) * sqrt(total), float(ndtri(upper)) * sqrt(sum(least)))
    return Difference(gap, half, seeds, among)
