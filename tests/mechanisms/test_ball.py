"""Gaussian noise for whole uploads that are shortened to a length: what a range cannot promise."""

from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats

from ldp_core import mechanisms
from ldp_core.accounting import ledger
from ldp_core.contract.mechanism import ALARM
from ldp_core.experiment import parse
from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.dynamic_gaussian import DynamicGaussian
from ldp_core.mechanisms.gaussian import Gaussian
from ldp_core.mechanisms.labelunit import LabelledLaw, LabelUnit
from ldp_core.mechanisms.privunit import PrivUnit
from ldp_core.mechanisms.shared.caps import caps_at
from ldp_core.mechanisms.shared.gaussian_noise import GaussianNoise
from ldp_core.mechanisms.shared.gaussian_privacy import epsilon_of
from ldp_core.streams import stream
from tests.data import events
from tests.extent import every
from tests.mechanisms.test_caps import PEOPLE, RANGE, C, D, F

KINDS = [Gaussian, DynamicGaussian]


@pytest.mark.parametrize("kind", KINDS)
def test_an_upload_is_shortened_and_never_cut_off(kind: type[GaussianNoise]):
    """Long vectors keep their direction, short ones their bits; the ranges are ignored."""
    made = kind(norm=2.0)
    assert (made.scope, made.region) == ("upload", "ball")
    values = np.array([[3.0, 4.0], [0.3, 0.4]], dtype=np.float32)
    found = made.clip(values, -0.1, 0.1)
    assert found[0] == pytest.approx([1.2, 1.6])
    assert found[1].tobytes() == values[1].tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_ball_sensitivity_is_twice_the_norm(kind: type[GaussianNoise]):
    for d in (2, 21_840):
        made = kind(norm=1.5, dimension=d, per="upload")
        assert made.at(1.0, -1, 1).sensitivity == 3
        assert made.at(1.0, -1, 1).mu == pytest.approx(3 / made.at(1.0, -1, 1).sigma)


@pytest.mark.parametrize("kind", KINDS)
def test_ball_mechanism_has_the_stated_moments(kind: type[GaussianNoise]):
    """200 000 answers, mean and variance within 6 standard errors each (false alarm < 1e-7)."""
    made, n = kind(norm=1.0, dimension=2), 100_000
    values = np.tile(np.array([3.0, -4.0]), (n, 1))
    sent = made.perturb(values, 5.0, -9, 9, stream(0, "noise", 1))
    inside = np.array([0.6, -0.8])
    sigma = float(made.at(5.0, -9, 9).sigma)
    assert made.mean(inside, 5.0, -9, 9) == pytest.approx(inside)
    assert np.abs(sent.mean(axis=0) - inside).max() < 6 * sigma / np.sqrt(n)
    assert np.abs(sent.var(axis=0) / made.variance(inside, 5.0, -9, 9) - 1).max() < 6 * np.sqrt(2 / n)


def test_the_ledger_counts_a_weight_like_an_upload():
    """A single weight may take the whole length, so it is promised no more than all of them."""
    noise = {"name": "gaussian", "norm": 1, "delta": 1e-5}
    lines = ledger({"mechanism": noise, "clients": {"epsilon": 2}})[0]
    assert lines["upload"]["epsilon"] == pytest.approx(2, rel=1e-6)
    assert lines["coordinate"]["epsilon"] == lines["upload"]["epsilon"]
    mu = Gaussian(norm=1.0, dimension=650).at(2.0, -1, 1).mu
    fifteen = float(epsilon_of(1e-5, mu * np.sqrt(15)))
    assert lines["run_worst"]["epsilon"] == pytest.approx(fifteen, rel=1e-9)


def test_gaussian_without_norm_keeps_its_json():
    assert "norm" not in Gaussian().parameters()
    assert parse({"mechanism": {"name": "gaussian", "norm": 3}}).mechanism.parameters()["norm"] == 3


SIZE = 12
UNIT = (-1.0, 1.0)


@pytest.mark.parametrize("epsilon", every(2, [1e-3, 0.1, 1.0, 40.0, 8.0, 700.0, 300.0]))
def test_privunit_parameters_are_optimal(epsilon: float):
    """m and E[α²] as section 8 has them, in sixty digits, at the p that was found and beside it."""
    law = caps_at(np.array(epsilon), 1)
    with mpmath.workdps(400):
        e = mpmath.mpf(epsilon)
        t = mpmath.mpf(float(law.log_p - law.log_not_p))

        def scales(logit: Any) -> tuple[Any, Any]:
            p, q = 1 / (1 + mpmath.exp(-logit)), 1 / (1 + mpmath.exp(e - logit))
            g = mpmath.findroot(lambda g: mpmath.log(mpmath.ncdf(-g)) - mpmath.log(q), float(law.cut))
            phi = mpmath.npdf(g)
            square = p * (1 + g * phi / q) + (1 - p) * (1 - g * phi / (1 - q))
            return phi * (p / q - (1 - p) / (1 - q)), square

        scale, square = scales(t)
        assert float(law.scale) == pytest.approx(float(scale), rel=1e-8)
        assert float(law.square) == pytest.approx(float(square), rel=1e-6)
        for other in (t * 0.9, t + (e - t) * mpmath.mpf("0.1")):
            assert scales(other)[0] < scale


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
@pytest.mark.parametrize("u", [-0.6, 0.0, 0.3, 1.0])
def test_one_weight_follows_its_marginal_law(epsilon: float, u: float):
    """20 000 answers for a weight of a vector as long as the ball allows; Kolmogorov–Smirnov, 1e-6."""
    mechanism = PrivUnit(dimension=SIZE, norm=2.0)
    x = np.zeros(SIZE)
    x[0], x[1] = 2 * u, 2 * np.sqrt(1 - u**2)
    sent = mechanism.perturb(np.tile(x, (20_000, 1)), epsilon, *UNIT, np.random.default_rng(4))[:, 0]
    reach = 12 * np.sqrt(float(mechanism.at(epsilon, *UNIT).max_variance)) + 12
    grid = np.linspace(-reach, reach, 400_001)
    density = np.exp(mechanism.at(epsilon, *UNIT).marginal_log_prob(grid, 2 * u))
    heights = np.cumsum(density) * (grid[1] - grid[0])
    assert heights[-1] == pytest.approx(1, abs=1e-3)
    distance = stats.kstest(sent, lambda y: np.interp(y, grid, heights)).statistic
    assert distance < stats.kstwo.isf(ALARM, len(sent)) + 1e-3


def test_vectors_inside_the_ball_are_not_clipped():
    mechanism = PrivUnit(dimension=SIZE, norm=0.5)
    inside = np.random.default_rng(0).standard_normal((3, SIZE)).astype(np.float32)
    inside *= 0.4 / np.linalg.norm(inside, axis=1, keepdims=True)
    np.testing.assert_array_equal(mechanism.clip(inside, 0.0, 1e-9), inside)
    shortened = mechanism.clip(10 * inside, -1, 1)
    np.testing.assert_allclose(np.linalg.norm(shortened, axis=1), 0.5, rtol=1e-6)
    narrow = mechanism.perturb(inside, 2.0, -1e-3, 0.0, np.random.default_rng(0))
    wide = mechanism.perturb(inside, 2.0, -9.0, 1.0, np.random.default_rng(0))
    np.testing.assert_array_equal(narrow, wide)
    asked: dict[str, Any] = {"mechanism": "privunit", "rounds": 2, "attack": None}
    runs = [events({**asked, "clients": {"count": 5, "epsilon": 8, "range": r}})[-1] for r in (0.01, 5)]
    assert runs[0]["weights_sha256"] == runs[1]["weights_sha256"]


MECHANISM = LabelUnit(dimension=D, labels=C)


@pytest.mark.parametrize(
    ("epsilon", "variance", "labels"),
    [
        (8, 0.0233, (1,)),
        (6, 0.0497, (1,)),
        (5, 0.0872, (1,)),
        (4, 0.1882, (1,)),
        (3, 0.518, (2,)),
        (2, 1.55, (5, 6)),
        (1, 6.33, (10,)),
    ],
)
def test_the_reference_has_the_same_noise(epsilon: float, variance: float, labels: tuple[int, ...]):
    """honest-frontier, section 2: noise per coordinate of a sum over 10 labels, per person."""
    caps = caps_at(np.array(float(epsilon)), 10)
    assert int(caps.labels) in labels
    assert caps.labels / 10 / caps.scale**2 == pytest.approx(variance, rel=5e-3)
    if epsilon == 8:
        assert np.exp(caps.log_p) == pytest.approx(0.851, abs=1e-3)
        assert np.exp(caps.log_beyond) == pytest.approx(0.019, abs=1e-3)
        assert caps.square - caps.named == pytest.approx(4.30, abs=0.01)


def test_no_answer_names_a_zero_or_a_label_for_certain():
    """200 answers for a vector full of zeros: each lies on a grid that no input moves, coordinate by
    coordinate, so every other can cause it, to the bit; and other labels are named as well."""
    values = np.zeros((200, D), np.float32)
    values[:, 1] = 1.0
    sent = MECHANISM.perturb(values, 4.0, *RANGE, np.random.default_rng(5)).astype(np.float64)
    spread = 1 / float(caps_at(np.array(4.0), C).scale)
    steps = sent / 2.0 ** (np.floor(np.log2(spread)) - 18)
    assert (steps == np.round(steps)).all()
    named = (sent.reshape(200, C, F) != 0).any(axis=2)
    assert (named.sum(axis=1) == int(caps_at(np.array(4.0), C).labels)).all()
    assert (named.mean(axis=0) > 0).all() and named[:, 0].mean() < 1


def test_second_moments_are_those_of_its_answers():
    n, epsilon = 60_000, 6.0
    law = LabelledLaw(MECHANISM, *MECHANISM.checked(epsilon, *RANGE))
    plain, along, spread = (float(one) for one in law.second_moments)
    sent = law.perturb(np.tile(PEOPLE[0], (n, 1)), np.random.default_rng(6)).reshape(-1, F)
    z = PEOPLE[0][:F]
    found = sent.T @ sent / n - plain * np.eye(F) - along * np.outer(z, z)
    assert np.abs(found).max() < 6 * 3 * max(spread, along) / np.sqrt(n)


def test_answer_that_rounds_to_zero_has_a_probability():
    """With one number a label and ε 1, 10 labels are named; one of them came out as 0."""
    mechanism, inputs = LabelUnit(dimension=20, labels=20), np.eye(20)[:4]
    answer = mechanism.perturb(inputs[0], 1.0, -1, 1, np.random.default_rng(3)).astype(np.float64)
    whole = mechanism.log_prob(answer, inputs, 1.0, -1, 1)
    answer[np.flatnonzero(answer)[0]] = 0.0
    rounded = mechanism.log_prob(answer, inputs, 1.0, -1, 1)
    assert np.isfinite(whole).all() and np.isfinite(rounded).all()
    assert np.ptp(rounded) <= mechanism.privacy_loss(1.0, -1, 1) + 1e-9


WHOLE = [
    mechanisms.get("privunit", norm=0.3, dimension=50),
    mechanisms.get("privunit", norm=2.0, dimension=50),
    mechanisms.get("labelunit", dimension=50, labels=2),
    mechanisms.get("gaussian", per="upload", dimension=50),
    mechanisms.get("dynamic_gaussian", per="upload", dimension=50),
]


def step(answers: np.ndarray) -> float:
    """Largest power of two of which all answers are multiples."""
    mantissa, exponent = np.frexp(answers[answers != 0].astype(np.float64))
    whole = (mantissa * 2.0**53).astype(np.int64)
    return float(np.min(exponent - 53 + np.log2(whole & -whole)))


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
@pytest.mark.parametrize("mechanism", WHOLE, ids=lambda one: one.name)
def test_whole_uploads_are_answered_on_one_grid(mechanism: Mechanism, epsilon: float):
    steps = set()
    for blank in (slice(0, 25), slice(25, 50), slice(0, 49)):
        values = np.tile(stream(0, "audit").standard_normal(50).astype(np.float32), (2000, 1))
        values[:, blank] = 0
        sent = mechanism.perturb(values, epsilon, -1.0, 1.0, stream(1, "audit"))
        assert sent.dtype == np.float32
        steps |= {step(sent[:, blank]), step(np.delete(sent, np.r_[blank], axis=1))}
    assert len(steps) == 1
