"""Intervals of means over seeds and of shares, ends for a further run, and what repeated looks may spend."""

from dataclasses import dataclass
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, nctdtrit, ndtri, stdtrit

ALPHA = 0.05
"""Rate of wrong verdicts, two-sided."""
SEEDS = 3
"""Least number of seeds for a verdict."""
Floats = NDArray[np.float64]


def rate(seeds: int) -> float:
    """Error rate of an interval with so many seeds, to which others may be added after a look at it.

    Alpha spending (Lan and DeMets 1983): a third of `ALPHA` with 3 to 5 seeds, a ninth with 6 to 11, and so
    on by doublings. By the union bound half of `ALPHA` covers a look at each doubling; looks at all numbers
    in between, which depend on each other, spend the other half (simulated).
    """
    return ALPHA / 3 ** max(1, (seeds // SEEDS).bit_length())


@dataclass(frozen=True)
class Interval:
    """Mean over seeds with its interval."""

    mean: float
    half: float
    seeds: int

    @property
    def low(self) -> float:
        return self.mean - self.half

    @property
    def high(self) -> float:
        return self.mean + self.half


def interval(values: ArrayLike, among: int = 1, least: float = 0.0) -> Interval:
    """95 % interval of the mean over seeds, by Student's t, unbounded for one; of `among` intervals from
    which one is chosen, or looks of which the last is, all hold at once with 95 % (Bonferroni).

    Args:
        values: a figure by seed.
        among: number of choices times looks.
        least: least standard deviation of a figure.
    """
    each = np.asarray(values, dtype=np.float64)
    n = len(each)
    if n < 2:
        return Interval(float(each.mean()) if n else 0.0, inf, n)
    deviation = max(float(each.std(ddof=1)), least)
    return Interval(float(each.mean()), float(stdtrit(n - 1, 1 - ALPHA / 2 / among)) * deviation / sqrt(n), n)


MISSED = ALPHA / 2
"""Share of further runs, and of limits, that may lie beyond an end, on one side."""


class Deviation(NamedTuple):
    """Standard deviation of a run over seeds, with its degrees of freedom."""

    size: float
    freedom: int


def deviation(*figures: ArrayLike) -> Deviation:
    """Of figures by seed, pooled over the designs that they are of; of size 0 where none has two."""
    each = [np.asarray(one, dtype=np.float64) for one in figures]
    freedom = sum(len(one) - 1 for one in each)
    squares = sum(float(((one - one.mean()) ** 2).sum()) for one in each)
    return Deviation(sqrt(squares / max(1, freedom)), freedom)


def nine_of_ten(spread: Deviation, runs: int, unsure: float = 0.0) -> float:
    """Half of the interval around a mean in which nine of ten further runs lie (Student's t).

    Args:
        unsure: standard deviation of what else sets a further run apart.
    """
    width = float(stdtrit(spread.freedom, 0.95))
    return width * sqrt(spread.size**2 * (1 + 1 / runs) + unsure**2)


def further_run(mean: float, runs: int, spread: Deviation, missed: float) -> float:
    """What a further run reaches, but for a share `missed`, given the mean of `runs` runs (Student's t)."""
    return mean - float(stdtrit(spread.freedom, 1 - missed)) * sqrt(1 + 1 / runs) * spread.size


def most_runs(values: ArrayLike, missed: float = MISSED) -> float:
    """Upper limit, but for a share `missed` of such limits, of what 97.5 % of runs reach."""
    each = np.asarray(values, dtype=np.float64)
    n = len(each)
    above = float(nctdtrit(n - 1, float(ndtri(1 - MISSED)) * sqrt(n), missed)) / sqrt(n)
    return float(each.mean() - above * each.std(ddof=1))


def spent(look: int) -> float:
    """Share of an error rate for a look, counted from 1, of a search that may look any number of times at any
    designs: by the union bound (alpha spending, Lan and DeMets 1983) all looks together keep the rate.
    """
    return 1 / (look * (look + 1))


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
