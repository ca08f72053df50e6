"""PrivUnit and LabelUnit: the law of a whole upload, against samples and exact ratios."""

import itertools
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_core import limits, mechanisms
from ldp_core.contract.stated import VECTOR
from ldp_core.errors import InvalidInput
from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.labelunit import LabelUnit
from ldp_core.mechanisms.privunit import PrivUnit
from ldp_core.mechanisms.shared import caps
from ldp_core.mechanisms.shared.blocks import inside, where
from ldp_core.mechanisms.shared.caps import CapMechanism, caps_at
from ldp_core.mechanisms.shared.gaussian_privacy import delta_of, epsilon_of, mu_of
from ldp_core.mechanisms.shared.resolution import SINGLE, least_in_words, least_width, too_narrow
from tests.mechanisms.test_contract import ALL, named

C, F = 4, 6
D = C * F
RANGE = (-1.0, 1.0)
BOTH = [PrivUnit(dimension=D), LabelUnit(dimension=D, labels=C)]
of_both = pytest.mark.parametrize("mechanism", BOTH, ids=lambda one: one.name)


def upload(*parts: tuple[int, float], seed: int = 1) -> np.ndarray:
    """A vector with a direction of its own, so long, in the block of each of some labels."""
    generator = np.random.default_rng(seed)
    found = np.zeros((C, F))
    for label, length in parts:
        z = generator.standard_normal(F)
        found[label] = length * z / np.linalg.norm(z)
    return found.ravel()


PEOPLE = [
    upload((0, 1.0)), -upload((0, 1.0)), upload((0, 1.0), seed=2), upload((2, 1.0)),
    upload((1, 0.5), (3, 0.3)), upload((3, 0.2)), upload(), 3 * upload((1, 1.0)),
]  # fmt: skip


@pytest.mark.parametrize("labels", [1, 3])
def test_cap_constants_are_independent_of_batching(labels: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(caps, "_known", {})
    together = np.stack(caps_at(budgets := np.geomspace(0.01, 200, 37), labels))
    assert np.array_equal(together, np.stack(caps_at(budgets, labels)))
    monkeypatch.setattr(caps, "_known", {})
    alone = [np.stack(caps_at(np.array(budget), labels)) for budget in budgets]
    assert np.array_equal(together, np.stack(alone, axis=-1))


@of_both
@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 2.0, 4.0, 8.0, 30.0])
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_cap_answers_have_the_stated_mean_and_variance(mechanism: CapMechanism, epsilon: float, kind: str):
    """20 000 answers to each; mean and variance within six standard errors, less than 1e-6 false alarms."""
    n = 20_000
    for x in PEOPLE:
        values: Any = np.tile(x, (n, 1)).astype(kind)
        sent = mechanism.perturb(values, epsilon, *RANGE, np.random.default_rng(4))
        assert sent.dtype == values.dtype
        truth = mechanism.mean(x, epsilon, *RANGE)
        np.testing.assert_allclose(truth, x / max(1.0, np.linalg.norm(x)), atol=1e-12)
        assert (np.abs(sent.mean(0) - truth) < 6 * sent.std(0) / np.sqrt(n)).all()
        if truth.any():
            slopes = sent @ truth / (truth @ truth)
            assert abs(slopes.mean() - 1) < 6 * slopes.std() / np.sqrt(n)
        errors = ((sent - truth) ** 2).mean(axis=1)
        stated = float(mechanism.variance(x, epsilon, *RANGE)[0])
        assert abs(errors.mean() - stated) < 6 * errors.std() / np.sqrt(n)
        assert stated <= mechanism.at(epsilon, *RANGE).max_variance * (1 + 1e-12)
    nothing = mechanism.variance(np.zeros(D), epsilon, *RANGE)[0]
    assert nothing == pytest.approx(mechanism.at(epsilon, *RANGE).max_variance, rel=1e-12)


@of_both
@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 1.0, 2.0, 4.0, 8.0, 30.0])
def test_no_answer_tells_two_uploads_apart_by_more_than_epsilon(mechanism: CapMechanism, epsilon: float):
    generator = np.random.default_rng(1)
    sent = [mechanism.perturb(np.tile(x, (500, 1)), epsilon, *RANGE, generator) for x in PEOPLE]
    answers = np.concatenate(sent)
    table = np.array([mechanism.log_prob(answers, x, epsilon, *RANGE) for x in PEOPLE])
    assert np.isfinite(table).all()  # no answer that only some people can cause
    for one, other in itertools.combinations(table, 2):
        assert np.abs(one - other).max() <= epsilon * (1 + 1e-9) + 1e-12
    opposite, label = np.abs(table[0] - table[1]).max(), np.abs(table[0] - table[3]).max()
    assert opposite == pytest.approx(epsilon, rel=1e-9)
    assert label == pytest.approx(epsilon, rel=1e-9) or mechanism.blocks == 1
    assert mechanism.privacy_loss(epsilon, *RANGE) == epsilon


@of_both
@pytest.mark.parametrize("epsilon", [0.7, 2.5, 6.0])
def test_the_law_has_total_one_by_the_base_law(mechanism: CapMechanism, epsilon: float):
    """Mean of density over base density, of draws from the base law: a bounded ratio, six standard errors."""
    n, c, generator = 200_000, mechanism.blocks, np.random.default_rng(9)
    law = caps_at(np.array(epsilon), c)
    m, a, f = int(law.labels), float(law.scale), D // c
    order = generator.random((n, c)).argsort(axis=1)[:, :m]
    v = np.zeros((n, c, f))
    v[np.arange(n)[:, None], order] = generator.standard_normal((n, m, f))
    base = -(v**2).sum(axis=(1, 2)) / 2 + m * f * (np.log(a) - np.log(2 * np.pi) / 2)
    base -= np.log(len([*itertools.combinations(range(c), m)]))
    for x in PEOPLE[:6]:
        ratio = np.exp(mechanism.log_prob(v.reshape(n, D) / a, x, epsilon, *RANGE) - base)
        assert abs(ratio.mean() - 1) < 6 * ratio.std() / np.sqrt(n)


@of_both
@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 4.0, 30.0])
def test_delta_is_the_excess_of_opposite_directions(mechanism: CapMechanism, epsilon: float):
    """100 000 answers; 5.3 standard errors, 1e-7 false alarms."""
    n = 100_000
    sent = mechanism.perturb(np.tile(PEOPLE[0], (n, 1)), epsilon, *RANGE, np.random.default_rng(3))
    one, other = (mechanism.log_prob(sent, x, epsilon, *RANGE) for x in PEOPLE[:2])
    for share in (0.0, 0.3, 0.5, 0.9, 1.0):
        excess = np.maximum(0.0, -np.expm1(np.minimum(share * epsilon + other - one, 0.0)))
        stated = float(mechanism.delta(share * epsilon, epsilon, *RANGE))
        assert abs(excess.mean() - stated) < 5.3 * excess.std() / np.sqrt(n) + 1e-9


@settings(max_examples=100)
@given(
    epsilon=st.floats(1e-6, 700),
    labels=st.integers(1, 12),
    width=st.integers(1, 400),
    norm=st.floats(1e-6, 1e6),
)
def test_figures_are_finite_for_any_budget_and_size(epsilon: float, labels: int, width: int, norm: float):
    size: dict[str, Any] = {"dimension": labels * width, "norm": norm}
    for mechanism in (PrivUnit(**size), LabelUnit(labels=labels, **size)):
        x = np.zeros(labels * width)
        x[0] = norm
        sent = mechanism.perturb(x[None], epsilon, *RANGE, np.random.default_rng(0))
        assert np.isfinite(sent).all()
        assert np.isfinite(mechanism.log_prob(sent, x, epsilon, *RANGE)).all()
        assert (mechanism.variance(x, epsilon, *RANGE) >= 0).all()
        assert 0 <= mechanism.delta(epsilon / 2, epsilon, *RANGE) <= 1


@of_both
def test_an_upload_of_another_size_is_refused(mechanism: CapMechanism):
    blocks = " in 4 equal blocks" if mechanism.blocks > 1 else ""
    with pytest.raises(InvalidInput, match=f"uploads of 24 weights{blocks}; got shape"):
        mechanism.perturb(np.zeros((2, 5)), 1.0, *RANGE, np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="how many weights"):
        type(mechanism)().variance(0.0, 1.0, *RANGE)


def exact_delta(epsilon: float, mu: float) -> mpmath.mpf:
    with mpmath.workdps(60):
        e, m = mpmath.mpf(epsilon), mpmath.mpf(mu)
        return mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 0.1, 1.0, 10.0, 88.0, 700.0, 1e4, 1e6])
@pytest.mark.parametrize("mu", [1e-3, 0.1, 1.0, 5.0, 37.0, 1e3])
def test_delta_agrees_with_fifty_digits(epsilon: float, mu: float):
    known = float(exact_delta(epsilon, mu))
    assert float(delta_of(epsilon, mu)) == pytest.approx(known, rel=1e-9, abs=1e-290)


@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.01, 0.3, 0.9])
def test_calibration_and_its_inverse_meet(delta: float):
    epsilon = np.geomspace(1e-4, 1e5, 400)
    mu = mu_of(epsilon, delta)
    assert (np.diff(mu) > 0).all()
    np.testing.assert_allclose(delta_of(epsilon, mu), delta, rtol=1e-8)
    np.testing.assert_allclose(epsilon_of(delta, mu), epsilon, rtol=1e-6)
    # a little more noise keeps the promise, a little less breaks it
    assert (delta_of(epsilon, mu * 0.999) < delta).all()
    assert (delta_of(epsilon, mu * 1.001) > delta).all()


def test_without_need_there_is_no_epsilon():
    assert epsilon_of(0.4, 1e-3) == 0
    assert mu_of(np.empty(0), 1e-5).shape == (0,)


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
