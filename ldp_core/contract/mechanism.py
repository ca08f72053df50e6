"""Checks of a mechanism: samples follow the stated distribution, and its moments, loss and δ agree. Tests of
samples have a false-alarm rate of 1e-6 each.
"""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np
from scipy import stats

from ldp_core import mechanisms
from ldp_core.contract.in_use import Broken, PartCheck, PartChecks, require
from ldp_core.contract.stated import (
    MANY,
    VECTOR,
    Budget,
    cdf,
    check_delta,
    check_loss,
    check_moments,
    check_worst_variance,
    close,
    sent_by,
)
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.piecewise import PiecewiseAsPrinted

ALARM = 1e-6
KINDS = ("float64", "float32")
RANGES = ((-1.0, 1.0), (0.4, 0.6), (-3.0, 197.0))
EPSILONS = (0.001, 0.1, 0.5, 1.0, 2.0, 5.0, 8.0, 20.0)
EXTREMES = (0.001, 1.0, 88.0, 89.0, 350.0, 700.0)


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


def of_mechanism(one: Mechanism) -> PartChecks:
    """Checks of a mechanism, in the corrected and the as-printed form if they differ."""
    for kind in dict.fromkeys(type(one).in_form(form) for form in one.forms):
        printed = "" if kind is type(one) else ", as printed"
        for words, check in of_law(kind().fitted(Use(VECTOR, 10, 3, 70))):
            yield PartCheck(words + printed, check)


def of_law(one: Mechanism, beside: Callable[..., Iterable[Any]] = product) -> PartChecks:
    """Checks of one law; `beside` combines lists of budgets, ranges and values into places to check."""
    noisy = one.role != "identity"
    pure = noisy and one.region == "box" and np.isfinite(one.privacy_loss(1.0, -1, 1))

    def each(check: Any, places: Iterable[Any]) -> Any:
        def all_of_them() -> None:
            for place in places:
                try:
                    check(one, *place)
                except Broken as error:
                    raise Broken(f"{error} (at {place})") from None

        return all_of_them

    if one.region == "ball":  # of a whole vector in it: tests/mechanisms/test_caps.py has checks
        return
    budgets = [((epsilon, *span),) for epsilon, span in beside(EPSILONS, RANGES)]
    edges = one.at(EPSILONS[0], -1.0, 1.0).edges(0.0).size
    words = f", between the {edges} edges that it lists at ε {EPSILONS[0]}" if edges > MANY else ""
    yield PartCheck("the law has the stated total, mean and variance" + words, each(check_moments, budgets))
    words = "the variance never exceeds its stated maximum, and reaches it"
    yield PartCheck(words, each(check_worst_variance, budgets))
    if pure:
        losses = [((epsilon, -0.5, 1.5),) for epsilon in (*EPSILONS, 88.0, 700.0)]
        yield PartCheck("no output tells two inputs apart by more than it states", each(check_loss, losses))
    if one.scope == "coordinate" and (pure or (noisy and one.at(1.0, -1, 1).mu is not None)):
        deltas = [((e, -1.0, 1.0), share * e) for e, share in beside((0.1, 1.0, 5.0), (0.9, 0.3, 0.0))]
        yield PartCheck("δ is the largest excess of probability", each(check_delta, deltas))
    if noisy:
        for n, name in enumerate(KINDS):
            tried = beside((0.5, 1.0, 8.0), np.roll((-0.25, 0.2, 0.75), n))
            draws = [((epsilon, -0.25, 0.75), float(value), name) for epsilon, value in tried]
            yield PartCheck(f"samples follow the law ({name})", each(check_samples, draws))
        words = "every client and every weight has noise of its own"
        yield PartCheck(words, each(check_independence, [((1.0, -1.0, 1.0),)]))
    finite = [((epsilon, -0.1, 0.3), name) for epsilon, name in beside(EXTREMES, KINDS)]
    yield PartCheck("nothing overflows from tiny to huge budgets", each(check_finite, finite))
    yield PartCheck("values outside the range are clipped first", each(check_clipping, [((1.0, -1.0, 1.0),)]))


def kinds() -> list[type[Mechanism]]:
    """All classes of mechanisms, with as-printed forms that differ as classes of their own."""
    every = map(mechanisms.registry.kind, mechanisms.names())
    return list(dict.fromkeys(kind.in_form(form) for kind in every for form in kind.forms))
