"""What a mechanism's one sentence says of it is so, whatever the parameters."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.contract import mechanism as checks
from ldp_core.contract import stated
from ldp_core.contract.stated import VECTOR
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.duchi import Duchi
from ldp_core.mechanisms.harmony import Harmony
from ldp_core.mechanisms.hybrid import EPSILON_STAR
from ldp_core.mechanisms.laplace import Laplace
from ldp_core.mechanisms.piecewise import Piecewise

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


BUDGET = (1.0, -1.0, 1.0)


class SwapsProbabilities(Duchi):
    def unit_sample(self, v: Any, u: Any, k: Any) -> Any:
        return super().unit_sample(-v, u, k)


class WrongRadius(Duchi):
    def unit_coefficients(self, epsilon: Any) -> Any:
        coefficients = super().unit_coefficients(epsilon)
        return coefficients | {"outcome": coefficients["outcome"] * 1.01}


class Overflows(Duchi):
    def unit_coefficients(self, epsilon: Any) -> Any:
        with np.errstate(over="ignore", invalid="ignore"):
            power = np.exp(np.asarray(epsilon, dtype=np.float32)).astype(np.float64)
            outcome = (power + 1) / (power - 1)
            return {"outcome": outcome, "slope": 1 / outcome}


def shared(ask: Any, x: Any, e: Any, low: float, high: float, first: Any) -> Any:
    """What is answered to the first ones, with their noise for all others as well."""
    inside = np.clip(x, low, high)
    return inside + ask(inside[first], e, low, high) - inside[first]


def filled_with_zero(ask: Any, x: Any, e: Any, low: float, high: float) -> Any:
    sent = np.asarray(ask(x, e, low, high))
    return np.where(np.isclose(sent, (low + high) / 2), 0.0, sent)


ANSWERS: dict[str, tuple[type[Mechanism], Callable[..., Any], str]] = {
    "does not clip": (Laplace, lambda ask, x, e, *r: ask(x, e, *r) + x - np.clip(x, *r), "clipping"),
    "doubles the budget": (Duchi, lambda ask, x, e, *r: ask(x, 2 * np.asarray(e), *r), "samples"),
    "5 % too much": (Piecewise, lambda ask, x, e, *r: ask(x, 1.05 * np.asarray(e), *r), "samples"),
    "clients share noise": (Laplace, partial(shared, first=np.s_[:1]), "independence"),
    "one noise for a row": (Laplace, partial(shared, first=np.s_[:, :1]), "independence"),
    "fills with zero": (Harmony, filled_with_zero, "samples"),
    "a vector's budget": (Duchi, lambda ask, x, e, *r: ask(x, e / np.shape(x)[-1], *r), "independence"),
}
"""Mechanism, what it answers (by what it should), and the check that has to see it."""


def planted(kind: Any, answer: Callable[..., Any]) -> type[Mechanism]:
    class Faulty(kind):  # type: ignore[misc]
        def perturb(self, values: Any, epsilon: Any, low: Any, high: Any, generator: Any) -> Any:
            def ask(*given: Any) -> Any:
                return kind.perturb(self, *given, generator)

            return answer(ask, values, epsilon, low, high)

    return Faulty


def caught(mechanism: Mechanism, budget: tuple[float, float, float]) -> list[str]:
    law: list[tuple[str, Callable[[], None]]] = [
        ("moments", lambda: stated.check_moments(mechanism, budget)),
        ("worst variance", lambda: stated.check_worst_variance(mechanism, budget)),
        ("loss", lambda: stated.check_loss(mechanism, budget)),
        ("samples", lambda: checks.check_samples(mechanism, budget, budget[1], "float64")),
        ("finite", lambda: checks.check_finite(mechanism, (700.0, *budget[1:]), "float64")),
        ("clipping", lambda: checks.check_clipping(mechanism, budget)),
        ("independence", lambda: checks.check_independence(mechanism, budget)),
    ]
    found = []
    for name, check in law:
        try:
            with np.errstate(all="ignore"):
                check()
        except AssertionError:
            found.append(name)
    return found


FAULTS = {name: (planted(kind, answer), check) for name, (kind, answer, check) in ANSWERS.items()}
FAULTS |= {"swaps": (SwapsProbabilities, "samples"), "radius": (WrongRadius, "samples")}
FAULTS |= {"overflows": (Overflows, "finite")}


@pytest.mark.parametrize("name", FAULTS)
def test_each_planted_fault_is_caught(name: str):
    kind, check = FAULTS[name]
    kind.name = kind.__mro__[1].name if hasattr(kind.__mro__[1], "name") else "fault"
    budget = (1.0, 0.2, 1.0) if name == "fills with zero" else BUDGET
    assert check in caught(kind().fitted(Use(VECTOR)), budget)


@pytest.mark.parametrize("kind", [Duchi, Laplace, Piecewise, Harmony])
def test_sound_mechanisms_pass_the_fault_checks(kind: type[Mechanism]):
    for budget in (BUDGET, (1.0, 0.2, 1.0)):
        assert caught(kind().fitted(Use(VECTOR)), budget) == []


EPSILONS = [1e-3, 1e-2, 25.0, 88.0, 200.0, 700.0]
LOW, HIGH = -0.7, 0.4


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_variance_of_a_narrow_window_is_exact(epsilon: float):
    """At ε 700 the formulas as they stand lose 300 digits."""
    with mpmath.workdps(700):
        e, half = mpmath.mpf(epsilon), (mpmath.mpf(HIGH) - mpmath.mpf(LOW)) / 2
        s, coth = mpmath.exp(e / 2), mpmath.coth(e / 2)
        for value in (-0.7, -0.2, 0.05, 0.4):
            v = mpmath.mpf(value) - (mpmath.mpf(LOW) + mpmath.mpf(HIGH)) / 2
            piecewise = v**2 / (s - 1) + half**2 * (s + 3) / (3 * (s - 1) ** 2)
            hybrid = half**2 * ((s + 3) / (3 * s * (s - 1)) + coth**2 / s)
            known = {"piecewise": piecewise, "hybrid": half**2 * coth**2 - v**2 if e < 0.6 else hybrid}
            for name, variance in known.items():
                got = mechanisms.get(name).variance(value, epsilon, LOW, HIGH)
                assert got == pytest.approx(float(variance), rel=1e-9, abs=1e-17)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_end_probabilities_are_exact_for_tiny_values(epsilon: float):
    """The rare answer of two has probability e^−ε of the other, also where that is 1e-304."""
    with mpmath.workdps(700):
        rare = float(mpmath.log(1 / (1 + mpmath.exp(epsilon))))
    for name in ("duchi", "grr"):
        mechanism = mechanisms.get(name, **({"levels": 2} if name == "grr" else {}))
        upper = mechanism.at(epsilon, LOW, HIGH).atoms(LOW)[-1]
        assert mechanism.log_prob(upper, LOW, epsilon, LOW, HIGH) == pytest.approx(rare, rel=1e-9)


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 20.0, 200.0, 700.0])
def test_the_loss_of_a_sign(epsilon: float):
    with mpmath.workdps(400):
        sigma = 2 * mpmath.sqrt(2 * mpmath.log(mpmath.mpf(1.25) / mpmath.mpf(1e-5))) / mpmath.mpf(epsilon)
        known = float(mpmath.log(mpmath.ncdf(1 / sigma) / mpmath.ncdf(-1 / sigma)))
    got = mechanisms.get("ldpsign").privacy_loss(epsilon, -1, 1)
    assert got == pytest.approx(known, rel=1e-9)
    assert np.isfinite(got)
