"""The word and the odds of a promise."""

import math

import pytest
from scipy.special import ndtr

from ldp_core.accounting import Promise, worth
from ldp_core.mechanisms.shared.gaussian_privacy import epsilon_of


def promise(epsilon: float, delta: float = 0.0, rule: str = "basic") -> Promise:
    return Promise(epsilon, delta, rule, epsilon, epsilon, True)


def test_missing_guarantee_is_worth_zero():
    found = worth(Promise(epsilon=2.0, why="an average"))
    assert (found.word, found.right, found.odds) == ("nothing", None, "at worst in every try")


@pytest.mark.parametrize(("epsilon", "right"), [(0.01, (51, 100)), (1, (74, 100)), (8, (9997, 10_000))])
def test_odds_are_rounded_up_but_never_to_all(epsilon, right):
    assert worth(promise(epsilon)).right == right


def test_gaussian_noise_is_described_by_its_whole_curve():
    mu = 1.3
    line = promise(float(epsilon_of(1e-5, mu)), 1e-5, "gaussian")
    assert math.exp(worth(line).wrong) == pytest.approx(ndtr(-mu / 2), rel=1e-6)
    assert worth(line).wrong > worth(promise(line.bound, 1e-5)).wrong


def test_delta_raises_the_attackers_odds():
    assert 1 - math.exp(worth(promise(1.0, 0.1)).wrong) == pytest.approx((math.e + 0.1) / (1 + math.e))
