"""Composition against the reference values, and against itself."""

import math
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_core.accounting import compose
from ldp_core.composition.compose import compose_counts
from ldp_core.errors import InvalidInput


def test_the_exact_composition_of_pldp_fls_settings(oracles: dict[str, Any]):
    points = oracles["accounting"]["composition_pldp_fl"]
    assert len(points) >= 8
    for point in points:
        uses = ((point["epsilon_coord"],), (point["k"],), point["delta"])
        optimal = compose_counts(*uses, "optimal")
        assert optimal.epsilon == pytest.approx(point["optimal_KOV_RR_eps"], rel=1e-9)
        assert optimal.basic == pytest.approx(point["basic"], rel=1e-12)
        assert compose_counts(*uses, "rdp").epsilon == pytest.approx(point["rdp_RR_eps"], rel=1e-4)
        assert compose_counts(*uses, "best").rule == "optimal"


def test_two_uses_by_hand():
    """At δ=0 nothing beats the sum; for k=1 the exact δ of randomised response gives ε back."""
    assert compose([1.0, 2.0]) == {"epsilon": 3.0, "delta": 0.0, "rule": "basic", "basic": 3.0}
    delta = (math.exp(1.0) - math.exp(0.7)) / (1 + math.exp(1.0))
    assert compose([1.0], delta)["epsilon"] == pytest.approx(0.7, rel=1e-9)
    assert compose([])["epsilon"] == 0


@settings(max_examples=150)
@given(
    epsilons=st.lists(st.floats(0, 20), max_size=40),
    delta=st.sampled_from([0.0, 1e-9, 1e-5, 0.01]),
    method=st.sampled_from(["best", "basic", "optimal", "rdp"]),
)
def test_never_above_the_sum_and_in_no_order(epsilons: list[float], delta: float, method: str):
    bound = compose(epsilons, delta, method)
    assert 0 <= bound["epsilon"] <= bound["basic"] * (1 + 1e-12)
    assert bound["delta"] <= delta
    assert compose(epsilons[::-1], delta, method)["epsilon"] == pytest.approx(bound["epsilon"], rel=1e-12)
    more = compose([*epsilons, 1.0], delta, method)
    assert more["epsilon"] >= bound["epsilon"] * (1 - 1e-9)


def test_the_optimal_bound_is_exact_against_a_brute_force_sum():
    """The definition itself: sum over all 2^k outcomes of k randomised responses."""
    epsilon, k, delta = 0.8, 6, 1e-3
    p = math.exp(epsilon) / (1 + math.exp(epsilon))

    def excess(bound: float) -> float:
        outcomes = np.array(np.meshgrid(*[[0, 1]] * k)).reshape(k, -1).sum(axis=0)
        likely, unlikely = p**outcomes * (1 - p) ** (k - outcomes), p ** (k - outcomes) * (1 - p) ** outcomes
        return float(np.maximum(likely - math.exp(bound) * unlikely, 0).sum())

    found = compose([epsilon] * k, delta, "optimal")["epsilon"]
    assert excess(found) == pytest.approx(delta, rel=1e-6)


@pytest.mark.parametrize(
    ("epsilons", "delta", "method", "words"),
    [
        ([-1.0], 0.0, "best", "epsilons"),
        ([math.nan], 0.0, "best", "epsilons"),
        ([math.inf], 0.0, "best", "epsilons"),
        ([1.0], 1.0, "best", "delta"),
        ([1.0], -0.1, "best", "delta"),
        ([1.0], math.nan, "best", "delta"),
        ([1.0], 0.0, "advanced", "method"),
    ],
)
def test_invalid_composition_is_refused(epsilons: list[float], delta: float, method: str, words: str):
    with pytest.raises(InvalidInput, match=words):
        compose(epsilons, delta, method)


def randomised_response(epsilon: float, step: float) -> Any:
    noise = 2 / (1 + math.exp(epsilon))
    return privacy_loss_distribution.from_randomized_response(noise, 2, value_discretization_interval=step)


@pytest.mark.parametrize("budgets", [[0.05] * 40, [0.5] * 20, [2.0] * 7, [0.1, 0.3, 0.5, 1.0] * 5])
def test_composition_agrees_with_dp_accounting(budgets: list[float]):
    """Its discretised distribution rounds losses up, by at most a step a use."""
    exact = randomised_response(budgets[0], step := 1e-4)
    for epsilon in budgets[1:]:
        exact = exact.compose(randomised_response(epsilon, step))
    known, found = exact.get_epsilon_for_delta(1e-5), compose(budgets, delta=1e-5)
    assert known - 2 * len(budgets) * step <= found["epsilon"] <= found["basic"]
    assert found["epsilon"] <= (1.15 * known if len(set(budgets)) > 1 else known + 1e-9)
