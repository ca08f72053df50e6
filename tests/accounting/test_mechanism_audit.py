"""The audit: never above what is so, close to it, and able to convict."""

from typing import Any

import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.accounting import audit, exact_epsilon
from ldp_core.accounting.mechanism_audit import VECTOR
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.duchi import Duchi
from tests.extent import every, turns
from tests.mechanisms.test_contract import EVERY, named

NOISY = [m for m in EVERY if m.role != "identity"]
TWO_OUTCOMES = ("duchi", "pdpm", "ldpsign", "grr")


def _said(one: Any) -> str:
    return named(one) if isinstance(one, Mechanism) else str(one)


def generator() -> np.random.Generator:
    return np.random.default_rng(11)


@pytest.mark.parametrize(("mechanism", "epsilon"), turns(NOISY, [0.1, 1.0, 4.0]), ids=lambda one: _said(one))
def test_the_bound_never_exceeds_what_is_so(mechanism: Mechanism, epsilon: float):
    """Wrong with probability at most 1e-6 each."""
    found = audit(mechanism, epsilon, -1.0, 1.0, generator())
    assert 0 <= found.measured <= found.exact
    assert found.claimed == epsilon


@pytest.mark.parametrize("mechanism", every(2, [m for m in NOISY if m.name in TWO_OUTCOMES]), ids=named)
def test_a_million_samples_come_within_two_per_cent(mechanism: Mechanism):
    epsilon = 1.0
    if mechanism.name == "ldpsign":  # the budget at which its bit has a loss of 1
        grid = np.linspace(0.5, 50, 20_000)
        epsilon = float(grid[np.abs(mechanism.privacy_loss(grid, -1, 1) - 1).argmin()])
    found = audit(mechanism, epsilon, -1.0, 1.0, generator(), samples=1_000_000)
    assert found.exact == pytest.approx(1, rel=1e-2)
    least = 0.98 if not (mechanism.name == "grr" and mechanism.parameters()["levels"] > 2) else 0.95
    assert least * found.exact <= found.measured <= found.exact


@pytest.mark.parametrize("name", ["laplace", "piecewise", "hybrid", "harmony", "gaussian"])
def test_other_mechanisms_come_close_as_well(name: str):
    mechanism = mechanisms.get(name).fitted(Use(VECTOR))
    found = audit(mechanism, 1.0, -1.0, 1.0, generator(), samples=1_000_000)
    assert found.measured >= (0.5 if name == "gaussian" else 0.9) * found.exact


def test_a_mechanism_that_breaks_its_promise_is_convicted():
    class Doubles(Duchi):
        def unit_coefficients(self, epsilon: Any) -> Any:
            return super().unit_coefficients(2 * epsilon)

        def unit_log_prob(self, y: Any, v: Any, epsilon: Any) -> Any:
            return super().unit_log_prob(y, v, 2 * epsilon)

    found = audit(Doubles(), 1.0, -1.0, 1.0, generator())
    assert found.measured > 1.8
    assert found.measured > found.claimed


def test_exact_epsilon_is_the_loss_or_the_gaussian_curve():
    assert exact_epsilon(mechanisms.get("duchi"), 2.0, -1, 1) == 2.0
    assert exact_epsilon(mechanisms.get("gaussian"), 2.0, -1, 1) == pytest.approx(2.0, rel=1e-9)
    textbook = mechanisms.get("gaussian", calibration="classical", delta=1e-5)
    assert exact_epsilon(textbook, 15.0, -1, 1) > 15
    assert exact_epsilon(mechanisms.get("none"), 1.0, -1, 1) == np.inf
