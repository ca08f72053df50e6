"""What every mechanism promises, as checks of one mechanism at one budget.

They are held over the whole registry (test_contract.py) and over mechanisms with planted faults,
which they must catch (test_faults.py). Statistical checks state their false-alarm rate: 1e-6 each.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch
from scipy import stats

from ldp_core import mechanisms
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.piecewise import PiecewiseAsPrinted
from tests.mechanisms.laws import Budget, cdf, expectation

ALARM = 1e-6
KINDS = ("numpy64", "numpy32", "torch")
VECTOR = 8
"""Weights in a vector, for mechanisms whose law is of a whole one."""


def kinds() -> list[type[Mechanism]]:
    """Every class of law: each mechanism once, and once more where its paper's own form differs."""
    found = [
        mechanisms.registry.kind(name).in_form(form)
        for name in mechanisms.names()
        for form in mechanisms.registry.kind(name).forms
    ]
    return list(dict.fromkeys(found))


def whole_vectors(mechanism: Mechanism) -> bool:
    """The law of a weight depends on the others of its upload, or the budget covers more than one."""
    return mechanism.scope != "coordinate" or isinstance(mechanism, PiecewiseAsPrinted)


def draw(mechanism: Mechanism, value: float, budget: Budget, n: int, kind: str, seed: int = 7) -> np.ndarray:
    """n independent answers for `value`; the other weights of a vector lie at the range's upper end."""
    if whole_vectors(mechanism):
        values = np.full((n, VECTOR), budget[2])
        values[:, 0] = value
    else:
        values = np.full((n, 1), value)
    if kind == "torch":
        generator = torch.Generator().manual_seed(seed)
        out = mechanism.perturb(torch.from_numpy(values).float(), *budget, generator)
        return out[:, 0].numpy()
    dtype = np.float32 if kind == "numpy32" else np.float64
    return mechanism.perturb(values.astype(dtype), *budget, np.random.default_rng(seed))[:, 0]


def values_in(low: float, high: float) -> list[float]:
    return [low, low + 0.3 * (high - low), (low + high) / 2, high]


def squared_distance(mean: float, y: np.ndarray) -> np.ndarray:
    return (y - mean) ** 2


def close(a: float, b: float, rel: float, absolute: float = 0.0) -> bool:
    return bool(abs(a - b) <= max(rel * max(abs(a), abs(b)), absolute))


def check_moments(mechanism: Mechanism, budget: Budget) -> None:
    """The law has the stated total, mean and variance."""
    for value in values_in(*budget[1:]):
        mean, variance = mechanism.mean(value, *budget), mechanism.variance(value, *budget)
        total = expectation(mechanism, value, budget, np.ones_like)
        assert close(total, 1, 0, 1e-9), f"probabilities add up to {total}"
        scale = max(abs(mean), np.sqrt(variance), 1e-12)
        seen = expectation(mechanism, value, budget, lambda y: y)
        assert close(seen, mean, 0, 1e-9 * scale), f"mean {seen}, stated {mean}"
        spread = expectation(mechanism, value, budget, partial(squared_distance, mean))
        assert close(spread, variance, 1e-6, 1e-15), f"variance {spread}, stated {variance}"


def check_worst_variance(mechanism: Mechanism, budget: Budget) -> None:
    """The variance never exceeds its stated maximum, and reaches it."""
    epsilon, low, high = budget
    worst = float(mechanism.at(epsilon, low, high).max_variance)
    seen = mechanism.variance(np.linspace(low, high, 4001), epsilon, low, high)
    assert seen.max() <= worst * (1 + 1e-12) + 1e-300
    assert close(seen.max(), worst, 1e-4)


def outputs_of(mechanism: Mechanism, budget: Budget, inputs: np.ndarray) -> np.ndarray:
    """Outputs that stand for all: atoms, edges, what lies between them and beyond."""
    found = [np.empty(0)]
    for v in inputs:
        found.append(mechanism.at(*budget).atoms(v))
        edges = mechanism.at(*budget).edges(v)
        finite = edges[np.isfinite(edges)]
        found += [finite, (finite[1:] + finite[:-1]) / 2]
        if edges.size:
            width = budget[2] - budget[1]
            found.append(np.array([budget[1] - 5 * width, budget[2] + 5 * width]))
    return np.unique(np.concatenate(found))


def check_loss(mechanism: Mechanism, budget: Budget) -> None:
    """No output tells two inputs apart by more than the stated loss, and some output by just that."""
    inputs = np.linspace(*budget[1:], 41)
    stated = float(mechanism.privacy_loss(*budget))
    if mechanism.scope == "coordinate":
        where = outputs_of(mechanism, budget, inputs)
        table = mechanism.log_prob(where[:, None], inputs[None, :], *budget)
    else:  # every vector that can be sent, under every vector of ends
        low, high = budget[1:]
        ends = np.array(np.meshgrid(*[[low, (low + high) / 2, high]] * 3)).reshape(3, -1).T
        inputs_ = np.concatenate([ends, np.repeat(high, len(ends) * (VECTOR - 3)).reshape(len(ends), -1)], 1)
        sent = mechanism.at(*budget).outputs()
        assert sent is not None
        table = mechanism.log_prob(sent[:, None, :], inputs_[None, :, :], *budget)
        assert close(float(np.exp(table).sum(axis=0).max()), 1, 0, 1e-9)
        assert close(float(np.exp(table).sum(axis=0).min()), 1, 0, 1e-9)
    possible = np.isfinite(table).any(axis=1)
    assert np.isfinite(table[possible]).all(), "an output that only some inputs can have"
    loss = float((table[possible].max(axis=1) - table[possible].min(axis=1)).max())
    assert loss <= stated * (1 + 1e-9), f"a loss of {loss}, stated {stated}"
    assert close(loss, stated, 1e-6), f"a loss of {loss} at most, stated {stated}"


def check_delta(mechanism: Mechanism, budget: Budget, target: float) -> None:
    """The stated δ is the largest excess of probability over e^target times the other."""

    def excess(a: float, b: float) -> float:
        def over(y: np.ndarray) -> np.ndarray:
            ratio = mechanism.log_prob(y, b, *budget) - mechanism.log_prob(y, a, *budget)
            return np.maximum(0.0, -np.expm1(np.minimum(target + ratio, 0.0)))

        return expectation(mechanism, a, budget, over, cuts=mechanism.at(*budget).edges(b))

    low, high = budget[1:]
    stated = float(mechanism.delta(target, *budget))
    assert close(max(excess(low, high), excess(high, low)), stated, 0, 2e-5)
    inner = [excess(a, b) for a in (low + 0.2 * (high - low), 0.6 * high) for b in (low, 0.95 * high)]
    assert max(inner) <= stated + 2e-5


def check_samples(mechanism: Mechanism, budget: Budget, value: float, kind: str, n: int = 100_000) -> None:
    """Samples follow the law: chi-square over its atoms, Kolmogorov-Smirnov over its density."""
    sample = draw(mechanism, value, budget, n, kind).astype(np.float64)
    assert np.isfinite(sample).all()
    atoms = mechanism.at(*budget).atoms(value)
    atomic = np.zeros(n, dtype=bool)
    if atoms.size:
        nearest = np.abs(sample[:, None] - atoms).argmin(axis=1)
        apart = np.diff(atoms).min() if atoms.size > 1 else 1.0
        atomic = np.abs(sample - atoms[nearest]) < 1e-5 * max(apart, np.abs(atoms).max())
        mass = np.exp(mechanism.at(*budget).marginal_log_prob(atoms, value))
        assert atomic.all() or mass.sum() < 1 - 1e-9, "an answer that is no atom"
        counts = np.append(np.bincount(nearest[atomic], minlength=atoms.size), (~atomic).sum())
        mass = np.append(mass, max(0.0, 1 - mass.sum()))
        kept = mass * n >= 5
        assert counts[~kept].sum() <= stats.poisson.isf(ALARM, mass[~kept].sum() * n)
        if kept.sum() > 1:
            expected = mass[kept] / mass[kept].sum() * counts[kept].sum()
            assert stats.chisquare(counts[kept], expected).pvalue > ALARM, "the wrong probabilities"
    rest = sample[~atomic]
    if len(rest) > 100:
        law: Any = cdf(mechanism, value, budget)
        distance = stats.kstest(rest, law).statistic
        assert distance < stats.kstwo.isf(ALARM, len(rest)) + 1e-6, "the wrong density"


def check_finite(mechanism: Mechanism, budget: Budget, kind: str) -> None:
    """Nothing overflows; no sample is one that its own law calls impossible."""
    low, high = budget[1:]
    for value in (low - 5, low, low + 0.4 * (high - low), high, high + 5):
        mean, variance = mechanism.mean(value, *budget), mechanism.variance(value, *budget)
        assert np.isfinite(mean)
        assert np.isfinite(variance)
        assert variance >= 0
        sample = draw(mechanism, value, budget, 4000, kind)
        assert np.isfinite(sample).all()
        likely = mechanism.at(*budget).marginal_log_prob(sample, value)
        assert np.isfinite(likely).all(), "an output that its own law calls impossible"


def check_clipping(mechanism: Mechanism, budget: Budget) -> None:
    """Values outside the range are clipped to it first."""
    low, high = budget[1:]
    inside, outside = np.array([[high, low] * 4]), np.array([[high + 6, low - 1e30] * 4])
    for value, end in zip(outside[0], inside[0], strict=True):
        assert mechanism.mean(value, *budget) == mechanism.mean(end, *budget)
        assert mechanism.variance(value, *budget) == mechanism.variance(end, *budget)
    a, b = (mechanism.perturb(x, *budget, np.random.default_rng(3)) for x in (inside, outside))
    np.testing.assert_array_equal(a, b)


def check_independence(mechanism: Mechanism, budget: Budget) -> None:
    """Every client and every weight has noise of its own.

    1225 pairs of 400 independent answers, and 400 weights of 50 clients: correlations beyond 6.2
    standard errors have probability below 1e-6 (Bernstein, for bounded answers).
    """
    middle = (budget[1] + budget[2]) / 2
    if mechanism.scope != "layer":
        values = np.full((50, 400), middle)
        values[:, -1] = budget[2]
        mechanism = mechanism.fitted(Use(400, 10, 3, 70)) if mechanism.scope == "upload" else mechanism
        out = mechanism.perturb(values, *budget, np.random.default_rng(5))[:, :-1]
        correlation = np.corrcoef(out)[~np.eye(50, dtype=bool)]
        assert np.abs(correlation).max() < 0.31, "clients share noise"
        spread = (out - out.mean(axis=1, keepdims=True)).std()
        assert close(spread, np.sqrt(mechanism.variance(middle, *budget)), 0.1), "weights share noise"
        return
    out = mechanism.perturb(np.full((4000, VECTOR), middle), *budget, np.random.default_rng(5))
    sent = mechanism.at(*budget).outputs()
    assert sent is not None
    expected = np.exp(mechanism.log_prob(sent, np.full(VECTOR, middle), *budget)) * len(out)
    counts = np.bincount(np.abs(out[:, None] - sent).sum(axis=2).argmin(axis=1), minlength=len(sent))
    assert stats.chisquare(counts, expected).pvalue > ALARM, "not every answer is as likely as stated"
