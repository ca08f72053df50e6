"""What every mechanism promises, held over the whole registry and all forms.

Statistical tests state their false-alarm rate: 1e-6 each, with fixed seeds.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ldp_core import mechanisms
from ldp_core.errors import InvalidInput
from ldp_core.mechanisms import Mechanism
from tests.mechanisms.laws import Budget, cdf, expectation

ALL = [
    mechanisms.get(name, form=form)
    for name in mechanisms.names()
    for form in mechanisms.registry.kind(name).forms
]
NOISY = [m for m in ALL if m.name != "none"]
EPSILONS = [0.001, 0.1, 0.5, 1.0, 2.0, 5.0, 8.0, 20.0]
EXTREMES = [0.001, 1.0, 88.0, 89.0, 350.0, 700.0]
RANGES = [(-1.0, 1.0), (0.4, 0.6), (-3.0, 197.0)]
ALARM = 1e-6


def named(mechanism: Mechanism) -> str:
    return f"{mechanism.name}-{mechanism.form}"


def squared_distance(mean: float, y: np.ndarray) -> np.ndarray:
    return (y - mean) ** 2


def values_in(low: float, high: float) -> list[float]:
    return [low, low + 0.3 * (high - low), (low + high) / 2, high]


@pytest.mark.parametrize("mechanism", ALL, ids=named)
@pytest.mark.parametrize("span", RANGES)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_density_has_the_stated_total_mean_and_variance(
    mechanism: Mechanism, epsilon: float, span: tuple[float, float]
):
    budget: Budget = (epsilon, *span)
    for value in values_in(*span):
        mean = mechanism.mean(value, *budget)
        variance = mechanism.variance(value, *budget)
        assert expectation(mechanism, value, budget, np.ones_like) == pytest.approx(1, abs=1e-9)
        scale = max(abs(mean), np.sqrt(variance), 1e-12)
        assert expectation(mechanism, value, budget, lambda y: y) == pytest.approx(mean, abs=1e-9 * scale)
        second = expectation(mechanism, value, budget, partial(squared_distance, mean))
        assert second == pytest.approx(variance, rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("mechanism", ALL, ids=named)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_variance_never_exceeds_its_stated_maximum_and_reaches_it(mechanism: Mechanism, epsilon: float):
    for low, high in RANGES:
        worst = mechanism.max_variance(epsilon, low, high)
        seen = mechanism.variance(np.linspace(low, high, 4001), epsilon, low, high)
        assert seen.max() <= worst * (1 + 1e-12) + 1e-300
        assert seen.max() == pytest.approx(worst, rel=1e-4)


@pytest.mark.parametrize("mechanism", NOISY, ids=named)
@pytest.mark.parametrize("epsilon", [*EPSILONS, 88.0, 700.0])
def test_no_output_tells_two_inputs_apart_by_more_than_the_stated_loss(mechanism: Mechanism, epsilon: float):
    low, high = -0.5, 1.5
    inputs = np.linspace(low, high, 41)
    outputs = [mechanism.atoms(v, epsilon, low, high) for v in inputs]
    for v in inputs:
        edges = mechanism.edges(v, epsilon, low, high)
        finite = edges[np.isfinite(edges)]
        outputs += [finite, (finite[1:] + finite[:-1]) / 2, np.array([low - 5, high + 5])[: 2 * edges.size]]
    where = np.unique(np.concatenate(outputs))
    table = mechanism.log_prob(where[:, None], inputs[None, :], epsilon, low, high)
    possible = np.isfinite(table).any(axis=1)
    assert np.isfinite(table[possible]).all(), "an output that only some inputs can have"
    loss = (table[possible].max(axis=1) - table[possible].min(axis=1)).max()
    stated = mechanism.privacy_loss(epsilon, low, high)
    assert stated == pytest.approx(epsilon, rel=1e-12)
    assert loss <= stated * (1 + 1e-9)
    assert loss == pytest.approx(stated, rel=1e-6), "these mechanisms use up their whole budget"


@pytest.mark.parametrize("mechanism", NOISY, ids=named)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_delta_is_the_largest_excess_of_probability(mechanism: Mechanism, epsilon: float, share: float):
    low, high = -1.0, 1.0
    target = share * epsilon
    budget = (epsilon, low, high)

    def excess(a: float, b: float) -> float:
        def over(y: np.ndarray) -> np.ndarray:
            ratio = mechanism.log_prob(y, b, *budget) - mechanism.log_prob(y, a, *budget)
            return np.maximum(0.0, -np.expm1(target + ratio))

        return expectation(mechanism, a, budget, over, cuts=mechanism.edges(b, *budget))

    stated = mechanism.delta(target, *budget)
    assert max(excess(low, high), excess(high, low)) == pytest.approx(stated, abs=2e-5)
    inner = [excess(a, b) for a in (-0.6, 0.2) for b in (-1.0, 0.9)]
    assert max(inner) <= stated + 2e-5
    assert mechanism.delta(epsilon, *budget) == 0
    assert mechanism.delta(epsilon * 2, *budget) == 0


def test_without_noise_nothing_is_promised():
    none = mechanisms.get("none")
    assert none.privacy_loss(1.0, -1, 1) == np.inf
    assert none.delta(100.0, 1.0, -1, 1) == 1


@pytest.mark.parametrize("kind", ["numpy64", "numpy32", "torch"])
@pytest.mark.parametrize("mechanism", NOISY, ids=named)
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 8.0])
def test_samples_follow_the_law(mechanism: Mechanism, epsilon: float, kind: str):
    """Chi-square over atoms, Kolmogorov-Smirnov over densities; false alarm 1e-6 for each value."""
    low, high = -0.25, 0.75
    for value in (-0.25, 0.2, 0.75):
        sample = draw(mechanism, value, epsilon, low, high, 100_000, kind)
        atoms = mechanism.atoms(value, epsilon, low, high)
        if atoms.size:
            mass = np.exp(mechanism.log_prob(atoms, value, epsilon, low, high))
            nearest = np.abs(sample[:, None] - atoms).argmin(axis=1)
            assert np.abs(sample - atoms[nearest]).max() < 1e-4
            counts = np.bincount(nearest, minlength=atoms.size)
            kept = mass * len(sample) >= 5
            assert counts[~kept].sum() <= stats.poisson.isf(ALARM, (mass[~kept] * len(sample)).sum())
            if kept.sum() > 1:
                expected = mass[kept] / mass[kept].sum() * counts[kept].sum()
                assert stats.chisquare(counts[kept], expected).pvalue > ALARM
        else:
            law: Any = cdf(mechanism, value, (epsilon, low, high))
            distance = stats.kstest(sample, law).statistic
            assert distance < stats.kstwo.isf(ALARM, len(sample))


def draw(
    mechanism: Mechanism, value: float, epsilon: float, low: float, high: float, n: int, kind: str
) -> np.ndarray:
    if kind == "torch":
        generator = torch.Generator().manual_seed(7)
        return mechanism.perturb(torch.full((n,), value), epsilon, low, high, generator).double().numpy()
    dtype = np.float32 if kind == "numpy32" else np.float64
    return mechanism.perturb(
        np.full(n, value, dtype=dtype), epsilon, low, high, np.random.default_rng(7)
    ).astype(np.float64)


@pytest.mark.parametrize("mechanism", ALL, ids=named)
@pytest.mark.parametrize("epsilon", EXTREMES)
@pytest.mark.parametrize("kind", ["numpy64", "numpy32", "torch"])
def test_nothing_overflows_from_tiny_to_huge_budgets(mechanism: Mechanism, epsilon: float, kind: str):
    low, high = -0.1, 0.3
    for value in (-5.0, -0.1, 0.07, 0.3, 5.0):
        assert np.isfinite(mechanism.variance(value, epsilon, low, high))
        assert mechanism.mean(value, epsilon, low, high) == pytest.approx(
            np.clip(value, low, high), abs=1e-12
        )
        sample = draw(mechanism, value, epsilon, low, high, 5000, kind)
        assert np.isfinite(sample).all()
        likely = mechanism.log_prob(sample, value, epsilon, low, high)
        assert np.isfinite(likely).all(), "an output that its own law calls impossible"


@pytest.mark.parametrize("mechanism", ALL, ids=named)
def test_values_outside_the_range_are_clipped_first(mechanism: Mechanism):
    inside, outside = np.array([1.0, -1.0]), np.array([7.0, -1e30])
    for value, end in zip(outside, inside, strict=True):
        assert mechanism.mean(value, 1.0, -1, 1) == end
        assert mechanism.variance(value, 1.0, -1, 1) == mechanism.variance(end, 1.0, -1, 1)
    a, b = (mechanism.perturb(x, 1.0, -1, 1, np.random.default_rng(3)) for x in (inside, outside))
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("mechanism", ALL, ids=named)
def test_clients_and_coordinates_broadcast_and_keep_their_type(mechanism: Mechanism):
    values = np.linspace(-1, 1, 21, dtype=np.float32).reshape(3, 7)
    epsilon = np.array([0.5, 1.0, 8.0])[:, None]
    low, high = np.array([-1.0, -0.5, 0.0])[:, None], np.array([1.0, 0.5, 0.1])[:, None]
    out = mechanism.perturb(values, epsilon, low, high, np.random.default_rng(1))
    assert out.shape == (3, 7)
    assert out.dtype == np.float32
    tensor = mechanism.perturb(torch.from_numpy(values), epsilon, low, high, torch.Generator().manual_seed(1))
    assert tensor.shape == (3, 7)
    assert tensor.dtype == torch.float32
    assert mechanism.variance(values, epsilon, low, high).shape == (3, 7)
    assert mechanism.log_prob(out, values, epsilon, low, high).shape == (3, 7)
    assert mechanism.perturb(np.array(0.2), 1.0, -1, 1, np.random.default_rng(1)).shape == ()
    assert mechanism.perturb(np.array([0, 1]), 1.0, -1, 1, np.random.default_rng(1)).dtype == np.float64


@pytest.mark.parametrize("mechanism", NOISY, ids=named)
def test_every_client_and_every_coordinate_has_noise_of_its_own(mechanism: Mechanism):
    out = mechanism.perturb(np.zeros((50, 400)), 1.0, -1, 1, np.random.default_rng(5))
    correlation = np.corrcoef(out)
    off_diagonal = correlation[~np.eye(50, dtype=bool)]
    # 1225 pairs of 400 independent draws: beyond 6.2/sqrt(400) with probability below 1e-6
    assert np.abs(off_diagonal).max() < 0.31
    assert out.std(axis=1).min() > 0


@pytest.mark.parametrize("mechanism", ALL, ids=named)
def test_draws_do_not_depend_on_how_clients_are_grouped(mechanism: Mechanism):
    values = np.random.default_rng(0).uniform(-1, 1, (6, 20_000)).astype(np.float32)
    whole = mechanism.perturb(values, 1.0, -1, 1, np.random.default_rng(9))
    generator = np.random.default_rng(9)
    parts = [mechanism.perturb(rows, 1.0, -1, 1, generator) for rows in np.split(values, [1, 4])]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


@pytest.mark.parametrize("mechanism", NOISY, ids=named)
@pytest.mark.parametrize("epsilon", [0, -1, np.nan, np.inf, -np.inf, "1", None, True])
def test_a_budget_that_is_no_budget_is_refused(mechanism: Mechanism, epsilon: Any):
    for call in (
        lambda: mechanism.perturb(np.zeros(3), epsilon, -1, 1, np.random.default_rng(0)),
        lambda: mechanism.variance(0.0, epsilon, -1, 1),
        lambda: mechanism.privacy_loss(epsilon, -1, 1),
    ):
        with pytest.raises(InvalidInput, match="epsilon must be"):
            call()


@pytest.mark.parametrize("mechanism", ALL, ids=named)
@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1), (np.nan, 1), (-np.inf, 1), (0, np.inf)])
def test_a_range_that_is_no_range_is_refused(mechanism: Mechanism, low: float, high: float):
    with pytest.raises(InvalidInput, match="low must be below high"):
        mechanism.perturb(np.zeros(3), 1.0, low, high, np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="low must be below high"):
        mechanism.max_variance(1.0, low, high)


@pytest.mark.parametrize("mechanism", NOISY, ids=named)
def test_what_is_not_a_number_never_leaves(mechanism: Mechanism):
    with pytest.raises(InvalidInput, match="not a number"):
        mechanism.perturb(np.array([0.0, np.nan]), 1.0, -1, 1, np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="numpy Generator"):
        mechanism.perturb(np.zeros(3), 1.0, -1, 1, torch.Generator())
    with pytest.raises(InvalidInput, match=r"torch\.Generator"):
        mechanism.perturb(torch.zeros(3), 1.0, -1, 1, np.random.default_rng(0))


@settings(max_examples=200, deadline=None)
@given(
    place=st.integers(0, len(ALL) - 1),
    epsilon=st.floats(1e-6, 700),
    low=st.floats(-1e3, 1e3),
    width=st.floats(1e-3, 1e3),
    share=st.floats(-0.5, 1.5),
)
def test_exact_moments_are_finite_and_consistent_for_any_input(
    place: int, epsilon: float, low: float, width: float, share: float
):
    mechanism, high = ALL[place], low + width
    value = low + share * width
    variance = mechanism.variance(value, epsilon, low, high)
    assert 0 <= variance <= mechanism.max_variance(epsilon, low, high) * (1 + 1e-9) + 1e-300
    # the law moves and scales with its range
    unit = mechanism.variance((np.clip(value, low, high) - low) / width * 2 - 1, epsilon, -1, 1)
    assert variance == pytest.approx(unit * (width / 2) ** 2, rel=1e-6, abs=1e-9 * width**2)
