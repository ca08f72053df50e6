"""Floating point: what it cannot resolve is refused, what is left is hardly biased; selections keep bits."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_core import limits, mechanisms
from ldp_core.contract.stated import VECTOR
from ldp_core.errors import InvalidInput
from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.shared.blocks import inside, where
from ldp_core.mechanisms.shared.resolution import SINGLE, least_in_words, least_width, too_narrow
from tests.mechanisms.test_contract import ALL, named

DRAWS = 20_000
UNBIASED = ["duchi", "pdpm", "laplace", "piecewise", "hybrid", "grr", "gaussian"]


@pytest.mark.parametrize("mechanism", ALL, ids=named)
def test_a_range_below_the_resolution_is_refused(mechanism: Mechanism):
    narrow: tuple[float, float, float] = (1.0, 5.0, 5.000001)
    words = r"high must exceed low by at least 0\.00049, .* float32 there; got low 5\.0 and high 5\.000001"
    with pytest.raises(InvalidInput, match=words):
        mechanism.perturb(np.full(VECTOR, 5, np.float32), *narrow, np.random.default_rng(0))
    if mechanism.form == "corrected":
        assert np.isfinite(mechanism.perturb(np.full(VECTOR, 5.0), *narrow, np.random.default_rng(0))).all()
    with pytest.raises(InvalidInput, match="steps of float64 there"):
        mechanism.perturb(np.full(VECTOR, 5.0), 1.0, 5.0, 5.0 + 1e-13, np.random.default_rng(0))


def test_a_range_beyond_the_largest_number_is_refused():
    with pytest.raises(
        InvalidInput, match=r"must lie within ±3.4·10³⁸, the largest float32; got low -1e\+39"
    ):
        mechanisms.get("duchi").perturb(np.zeros(3, np.float32), 1.0, -1e39, 1e39, np.random.default_rng(0))


def paired(mechanism: Mechanism, v: float, epsilon: float, low: float, high: float) -> tuple[Any, Any]:
    """Answers in float32 in that range, and by the same draws around 0, moved there in float64."""
    value = low + (v + 1) / 2 * (high - low)
    there = mechanism.perturb(np.full(DRAWS, value, np.float32), epsilon, low, high, np.random.default_rng(3))
    here = mechanism.perturb(np.full(DRAWS, v, np.float32), epsilon, -1, 1, np.random.default_rng(3))
    return there.astype(float), (low + high) / 2 + (high - low) / 2 * here.astype(float)


@pytest.mark.parametrize("name", UNBIASED)
@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_the_narrowest_range_allowed_is_hardly_biased(name: str, epsilon: float):
    """Off by less than 1 % of the standard deviation, and of the half-width, by the same draws: no chance."""
    mechanism = mechanisms.get(name)
    for low in (5.0, -5.3, 0.3, 1000.7):
        high = low + float(least_width(low, low)) * (1 + 1e-6)
        worst = np.sqrt(mechanism.at(epsilon, low, high).max_variance)
        for v in (-0.26, 0.0, 1.0):
            there, here = paired(mechanism, v, epsilon, low, high)
            assert abs((there - here).mean()) < 0.01 * min(float(worst), (high - low) / 2)


@settings(max_examples=200)
@given(low=st.floats(limits.BOUND.minimum, limits.BOUND.maximum), width=st.floats(1e-9, 1e3))
def test_the_width_that_the_words_ask_for_will_do(low: float, width: float):
    high = min(low + width, limits.BOUND.maximum)
    if low < high and too_narrow(np.array(low), np.array(high)):
        asked = float(least_in_words(low, high))
        ends = (low, low + asked * (1 + 1e-9)) if low < 0 else (high - asked * (1 + 1e-9), high)
        assert not too_narrow(np.array(ends[0]), np.array(ends[1]))


def test_every_half_width_within_the_limits_is_resolved():
    half = np.geomspace(limits.HALF_WIDTH.minimum, limits.HALF_WIDTH.maximum, 1000)
    assert not too_narrow(-half, half, SINGLE).any()


def test_no_uniform_is_0_or_1():
    for dtype, step in ((np.float32, 2.0**-24), (np.float64, 2.0**-53)):
        drawn = inside(np.array([0, 0.5, 1 - step], dtype))
        assert 0 < drawn[0] < 1e-7
        assert drawn[2] < 1


class Draws(np.random.Generator):
    """A generator that gives the largest uniform that there is, again and again."""

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        return np.full(size, 1 - 2.0**-24, dtype)


@pytest.mark.parametrize("name", ["duchi", "pdpm", "grr", "hybrid", "piecewise"])
@pytest.mark.parametrize("epsilon", [60.0, 700.0])
def test_the_largest_uniform_does_not_turn_an_answer_round(name: str, epsilon: float):
    """The other answer has a probability of 1e-13 or less; rounded to 1, a draw gave it once in 2^24."""
    ends = np.array([-1, 1], np.float32)
    out = mechanisms.get(name).perturb(ends, epsilon, -1, 1, Draws(np.random.Philox(key=1)))
    np.testing.assert_allclose(out, ends, atol=1e-5)


SHAPES = [((3, 50), (3, 50)), ((3, 1), (3, 1)), ((), (3, 50)), ((3, 50), ()), ((), ())]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32])
def test_selecting_by_bits_is_numpys_where(kind: Any, shapes: tuple[tuple[int, ...], tuple[int, ...]]):
    draw = np.random.default_rng(0)
    condition = draw.random((3, 50)) < 0.5
    one, other = (draw.normal(0, 3, shape).astype(kind) for shape in shapes)
    if kind != np.int32:
        one, other = one * kind(1e30), other * kind(0.0)  # signed zeros among them
        one.flat[0] = np.nan
    for chosen, rest in ((one, other), (one, 0.5), (0.5, other), (2.0, -1.0)):
        for asked in (condition, condition[0, 0]):
            ours, theirs = where(asked, chosen, rest), np.where(asked, chosen, rest)
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            assert ours.tobytes() == theirs.tobytes()
