"""Statistical tests that samples follow a mechanism's stated law; false-alarm rate 1e-6 each."""

from typing import Any

import numpy as np
from scipy import stats

from ldp_core.contract.in_use import require
from ldp_core.contract.integrals import Budget, cdf
from ldp_core.contract.stated import VECTOR, close, sent_by
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.piecewise import PiecewiseAsPrinted

ALARM = 1e-6
KINDS = ("float64", "float32")


def whole_vectors(mechanism: Mechanism) -> bool:
    """Whether a weight's law depends on the rest of the upload, or the budget covers several weights."""
    return mechanism.scope != "coordinate" or isinstance(mechanism, PiecewiseAsPrinted)


def draw(mechanism: Mechanism, value: float, budget: Budget, n: int, kind: str, seed: int = 7) -> np.ndarray:
    """n independent outputs for `value`; other weights of a vector are at the range's upper end."""
    if whole_vectors(mechanism):
        values = np.full((n, VECTOR), budget[2])
        values[:, 0] = value
    else:
        values = np.full((n, 1), value)
    return mechanism.perturb(values.astype(kind), *budget, np.random.default_rng(seed))[:, 0]


def check_samples(mechanism: Mechanism, budget: Budget, value: float, kind: str, n: int = 100_000) -> None:
    """Samples follow the law: chi-square test over atoms, Kolmogorov–Smirnov test over the density."""
    sample = draw(mechanism, value, budget, n, kind).astype(np.float64)
    require(np.isfinite(sample).all(), "an answer that is no number")
    atoms = mechanism.at(*budget).atoms(value)
    atomic = np.zeros(n, dtype=bool)
    if atoms.size:
        nearest = np.abs(sample[:, None] - atoms).argmin(axis=1)
        apart = np.diff(atoms).min() if atoms.size > 1 else 1.0
        atomic = np.abs(sample - atoms[nearest]) < 1e-5 * max(apart, np.abs(atoms).max())
        mass = np.exp(mechanism.at(*budget).marginal_log_prob(atoms, value))
        require(atomic.all() or mass.sum() < 1 - 1e-9, "an answer that is no atom")
        counts = np.append(np.bincount(nearest[atomic], minlength=atoms.size), (~atomic).sum())
        mass = np.append(mass, max(0.0, 1 - mass.sum()))
        kept = mass * n >= 5
        often = counts[~kept].sum() <= stats.poisson.isf(ALARM, mass[~kept].sum() * n)
        require(often, "rare answers come too often")
        if kept.sum() > 1:
            expected = mass[kept] / mass[kept].sum() * counts[kept].sum()
            require(stats.chisquare(counts[kept], expected).pvalue > ALARM, "the wrong probabilities")
    rest = sample[~atomic]
    if len(rest) > 100:
        law: Any = cdf(mechanism, value, budget)
        distance = stats.kstest(rest, law).statistic
        require(distance < stats.kstwo.isf(ALARM, len(rest)) + 1e-6, "the wrong density")


def check_finite(mechanism: Mechanism, budget: Budget, kind: str) -> None:
    """Moments and samples are finite, and every sample has positive likelihood."""
    low, high = budget[1:]
    for value in (low - 5, low, low + 0.4 * (high - low), high, high + 5):
        mean, variance = mechanism.mean(value, *budget), mechanism.variance(value, *budget)
        require(np.isfinite(mean), f"a mean of {mean}")
        require(np.isfinite(variance), f"a variance of {variance}")
        require(variance >= 0, f"a variance of {variance}")
        sample = draw(mechanism, value, budget, 4000, kind)
        require(np.isfinite(sample).all(), "an answer that is no number")
        likely = mechanism.at(*budget).marginal_log_prob(sample, value)
        require(np.isfinite(likely).all(), "an output that its own law calls impossible")


def check_clipping(mechanism: Mechanism, budget: Budget) -> None:
    low, high = budget[1:]
    inside, outside = np.array([[high, low] * 4]), np.array([[high + 6, low - 1e30] * 4])
    for value, end in zip(outside[0], inside[0], strict=True):
        for law in (mechanism.mean, mechanism.variance):
            require(law(value, *budget) == law(end, *budget), f"{value} is not treated as {end}")
    a, b = (mechanism.perturb(x, *budget, np.random.default_rng(3)) for x in (inside, outside))
    require(np.array_equal(a, b), "a value outside the range is not answered as the nearest end")


def check_independence(mechanism: Mechanism, budget: Budget) -> None:
    """Noise is independent between clients and between weights: of 1225 pairs of 400 outputs, correlations
    beyond 6.2 standard errors have probability below 1e-6 (Bernstein, for bounded outputs).
    """
    middle = (budget[1] + budget[2]) / 2
    if mechanism.scope != "layer":
        values = np.full((50, 400), middle)
        values[:, -1] = budget[2]
        mechanism = mechanism.fitted(Use(400, 10, 3, 70)) if mechanism.scope == "upload" else mechanism
        out = mechanism.perturb(values, *budget, np.random.default_rng(5))[:, :-1]
        correlation = np.corrcoef(out)[~np.eye(50, dtype=bool)]
        require(np.abs(correlation).max() < 0.31, "clients share noise")
        spread = (out - out.mean(axis=1, keepdims=True)).std()
        require(close(spread, np.sqrt(mechanism.variance(middle, *budget)), 0.1), "weights share noise")
        return
    out = mechanism.perturb(np.full((4000, VECTOR), middle), *budget, np.random.default_rng(5))
    sent = sent_by(mechanism, budget)
    expected = np.exp(mechanism.log_prob(sent, np.full(VECTOR, middle), *budget)) * len(out)
    counts = np.bincount(np.abs(out[:, None] - sent).sum(axis=2).argmin(axis=1), minlength=len(sent))
    require(stats.chisquare(counts, expected).pvalue > ALARM, "not every answer is as likely as stated")
