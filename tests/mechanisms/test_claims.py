"""What a mechanism's one sentence says of it is so, whatever the parameters."""

import math

import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.mechanisms.hybrid import EPSILON_STAR

BUDGETS = [1e-6, 0.01, 0.3, 0.6, 0.62, 1.0, 2.0, 8.0, 20.0, 300.0]
RANGE = (-1.0, 1.0)
WEIGHTS = np.linspace(*RANGE, 41)


@pytest.mark.parametrize("epsilon", BUDGETS)
def test_hybrid_worst_case_is_below_its_parts(epsilon: float):
    hybrid, *parts = (mechanisms.get(name) for name in ("hybrid", "piecewise", "duchi"))
    worst = hybrid.at(epsilon, *RANGE).max_variance
    assert all(worst <= part.at(epsilon, *RANGE).max_variance * (1 + 1e-12) for part in parts)
    variances = hybrid.variance(WEIGHTS, epsilon, *RANGE)
    if epsilon > EPSILON_STAR:
        np.testing.assert_allclose(variances, worst, rtol=1e-9)
    else:
        np.testing.assert_array_equal(variances, parts[1].variance(WEIGHTS, epsilon, *RANGE))


@pytest.mark.parametrize(("low", "high"), [(-0.3, 0.9), (-1.0, 1.0), (-2.0, -1.0)])
def test_harmony_as_printed_moves_every_average_answer_alike(low: float, high: float):
    printed = mechanisms.get("harmony", dimension=5, form="as_printed")
    values = np.linspace(low, high, 7)
    moved = [float(printed.mean(value, 1.0, low, high)) - value for value in values]
    np.testing.assert_allclose(moved, -(low + high) / 2 * (1 - 1 / 5), atol=1e-12)
    assert "−c(1 − 1/d)" in printed.as_printed


def test_others_have_a_smaller_worst_case_than_hybrid():
    """So no sentence may say that none has."""
    sixteen = mechanisms.get("grr", levels=16).at(8.0, *RANGE).max_variance
    assert sixteen == pytest.approx(0.0112, abs=5e-5)
    assert mechanisms.get("hybrid").at(8.0, *RANGE).max_variance == pytest.approx(0.0249, abs=5e-5)
    gaussian = mechanisms.get("gaussian", delta=0.5).at(2.0, *RANGE).max_variance
    assert gaussian < mechanisms.get("hybrid").at(2.0, *RANGE).max_variance
    for name in mechanisms.names():
        assert "no mechanism" not in mechanisms.get(name).summary


@pytest.mark.parametrize("epsilon", BUDGETS)
def test_the_sentences_of_the_others(epsilon: float):
    duchi, pdpm, piecewise = (mechanisms.get(name) for name in ("duchi", "pdpm", "piecewise"))
    for form in ("corrected", "as_printed"):
        printed = mechanisms.get("pdpm", form=form).variance(WEIGHTS, epsilon, *RANGE)
        assert (printed >= duchi.variance(WEIGHTS, epsilon, *RANGE) * (1 - 1e-12)).all()
    assert abs(duchi.at(epsilon, *RANGE).atoms(0.0)).min() >= 1
    assert math.exp(epsilon / 2) / (math.exp(epsilon / 2) + 1) > 0.5, "Piecewise's window"
    for weight in WEIGHTS:
        _, left, right, _ = piecewise.at(epsilon, *RANGE).edges(weight)
        assert left - 1e-9 <= weight <= right + 1e-9
    bound = pdpm.printed_variance_bound  # type: ignore[attr-defined]
    for length, holds in ((1.36, True), (1.45, False)):
        true = mechanisms.get("pdpm", form="as_printed").at(epsilon, 0.0, length).max_variance
        assert (true <= bound(np.asarray(epsilon), 0.0, length)) == holds
    levels = mechanisms.get("grr", levels=7)
    atoms = levels.at(epsilon, *RANGE).atoms(0)[[6, 2]]
    right, wrong = levels.log_prob(atoms, 1.0, epsilon, *RANGE)
    assert right - wrong == pytest.approx(epsilon, rel=1e-9)


def test_laplace_and_the_slow_schedule():
    assert 1 - math.exp(-1) == pytest.approx(2 / 3, abs=0.04)
    dynamic = mechanisms.get("dynamic_gaussian")
    assert dynamic.budget(1.0, 1) / dynamic.budget(1.0, 100) == pytest.approx(1.06, abs=0.005)  # type: ignore[attr-defined]
    fast = mechanisms.get("dynamic_gaussian", a=1)
    assert fast.budget(1.0, 1) / fast.budget(1.0, 100) > 5, "no few per cent, whatever a is"  # type: ignore[attr-defined]
