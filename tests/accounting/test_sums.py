"""Noise of sums against dp-accounting, loss distributions by numbers, and exact Skellam laws."""

import math

import numpy as np
import pytest
from dp_accounting import privacy_accountant
from dp_accounting.pld import privacy_loss_distribution
from scipy import stats

from ldp_core.composition.sums import sampled_delta, sampled_epsilon, skellam_epsilon
from ldp_core.mechanisms.shared.gaussian_privacy import delta_of

DELTA = 1e-5
REPLACE = privacy_accountant.NeighboringRelation.REPLACE_ONE


def of_loss_distribution(mu: float, chance: float, uses: int) -> float:
    """The other implementation: dp-accounting's pair for draws of one's own and replaced values ±1."""
    once = privacy_loss_distribution.from_gaussian_mechanism(
        2 / mu, sampling_prob=chance, neighboring_relation=REPLACE, value_discretization_interval=1e-3
    )
    return float(once.self_compose(uses).get_epsilon_for_delta(DELTA))


@pytest.mark.parametrize("chance", [0.05, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("mu", [0.3, 1.5])
@pytest.mark.parametrize("uses", [1, 15, 200])
def test_sampled_sums_are_those_of_the_public_accountant(chance: float, mu: float, uses: int):
    """dp-accounting rounds up by up to half a percent."""
    found, other = sampled_epsilon(mu, chance, False, uses, DELTA), of_loss_distribution(mu, chance, uses)
    assert 0.995 * other <= found <= 1.02 * other + 1e-3
    assert found <= sampled_epsilon(mu, chance, True, uses, DELTA) * (1 + 1e-3)


def test_replacement_bound_is_not_below_two_inputs():
    """Two of three people in each sum, drawn without replacement; one of them has 1 or −1, the others −1 or
    1: δ of one sum by the mixtures themselves."""
    x = np.linspace(-14, 14, 400_001)
    for mu in (0.5, 2.0):
        sigma = 2 / mu

        def law(values: tuple[int, ...], sigma: float = sigma) -> np.ndarray:
            pairs = [values[0] + values[1], values[0] + values[2], values[1] + values[2]]
            return np.mean([stats.norm.pdf(x, at, sigma) for at in pairs], axis=0) * (x[1] - x[0])

        for target in (0.0, 0.3, 1.0):
            bound = float(sampled_delta(np.array([target]), mu, 2 / 3, True)[0])
            for others in ((1, 1), (1, -1), (-1, -1)):
                one, two = law((1, *others)), law((-1, *others))
                assert np.maximum(one - math.exp(target) * two, 0).sum() <= bound + 1e-4
                assert np.maximum(two - math.exp(target) * one, 0).sum() <= bound + 1e-4


def test_full_sampling_equals_the_gaussian():
    for target in (0.0, 0.5, 3.0):
        assert sampled_delta(np.array([target]), 0.7, 1.0, False)[0] == pytest.approx(delta_of(target, 0.7))
    assert sampled_epsilon(1e-9, 0.5, False, 3, DELTA) == 0
    other = of_loss_distribution(0.7, 1.0, 9)
    assert sampled_epsilon(0.7, 1.0, False, 9, DELTA) == pytest.approx(other, rel=2e-3)


def skellam_delta(variance: float, distances: tuple[int, ...], target: float) -> float:
    """δ between Skellam vectors that lie so far apart, over all outcomes."""
    reach = math.ceil(9 * math.sqrt(variance)) + max(distances)
    at = np.arange(-reach, reach + 1)
    one, other = np.ones(1), np.ones(1)
    for apart in distances:
        laws = (stats.skellam.pmf(at, variance / 2, variance / 2, loc=place) for place in (0, apart))
        one, other = (
            np.multiply.outer(joint, law).ravel() for joint, law in zip((one, other), laws, strict=True)
        )
    return float(np.maximum(one - math.exp(target) * other, 0).sum())


@pytest.mark.parametrize(
    ("variance", "distances"), [(4.0, (1,)), (30.0, (3,)), (200.0, (20,)), (9.0, (2, 1))]
)
def test_skellam_is_never_below_all_outcomes_counted_out(variance: float, distances: tuple[int, ...]):
    longest, added = math.hypot(*distances), float(sum(distances))
    for delta in (1e-2, 1e-5):
        found = skellam_epsilon(variance, longest, added, 1, delta)
        assert skellam_delta(variance, distances, found) <= delta


@pytest.mark.parametrize("mu", [0.02, 0.3, 1.0, 2.0])
@pytest.mark.parametrize("uses", [1, 15])
def test_fine_skellam_costs_hardly_more_than_a_gaussian(mu: float, uses: int):
    steps = 1e4
    found = skellam_epsilon((steps / mu) ** 2, steps, steps * 30, uses, DELTA)
    other = of_loss_distribution(mu, 1.0, uses)
    assert other * 0.999 <= found <= 1.2 * other
