"""Interval of a mean over seeds, ends for a further run, and the error rate that repeated looks may spend."""

from dataclasses import dataclass
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import nctdtrit, ndtri, stdtrit

ALPHA = 0.05
"""Rate of wrong verdicts, two-sided."""
SEEDS = 3
"""Least number of seeds for a verdict."""


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


def further_run(values: ArrayLike, missed: float = MISSED) -> float:
    """What a further run reaches, but for a share `missed`, by the spread of these."""
    each = np.asarray(values, dtype=np.float64)
    return float(each.mean() - below_end(len(each), missed) * each.std(ddof=1))


class Deviation(NamedTuple):
    """Standard deviation of a run over seeds, with its degrees of freedom."""

    size: float
    freedom: int


def deviation(figures: ArrayLike) -> Deviation:
    """Of figures (…, seeds), pooled over all but the last axis."""
    each = np.asarray(figures, dtype=np.float64)
    freedom = each.size // each.shape[-1] * (each.shape[-1] - 1)
    return Deviation(sqrt(float(each.var(axis=-1, ddof=1).mean())), freedom)


def nine_of_ten(spread: Deviation, runs: int, unsure: float = 0.0) -> float:
    """Half of the interval around a mean in which nine of ten further runs lie (Student's t).

    Args:
        unsure: standard deviation of what else sets a further run apart.
    """
    width = float(stdtrit(spread.freedom, 0.95))
    return width * sqrt(spread.size**2 * (1 + 1 / runs) + unsure**2)


def most_runs(values: ArrayLike) -> float:
    """Upper limit, with 97.5 % confidence, of what 97.5 % of runs reach."""
    each = np.asarray(values, dtype=np.float64)
    return float(each.mean() - above_end(len(each)) * each.std(ddof=1))


def below_end(runs: int, missed: float = MISSED) -> float:
    """Standard deviations below the mean of `runs` runs above which a further one lies, by Student's t."""
    return float(stdtrit(runs - 1, 1 - missed)) * sqrt(1 + 1 / runs)


def above_end(runs: int) -> float:
    """As `below_end`, for what 97.5 % of runs reach, with 97.5 % confidence."""
    return float(nctdtrit(runs - 1, float(ndtri(1 - MISSED)) * sqrt(runs), MISSED)) / sqrt(runs)
