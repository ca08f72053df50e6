"""PrivUnit: the law of a whole vector in a ball, against the reference, samples and numerical integrals."""

from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats

from ldp_core.contract.mechanism import ALARM
from ldp_core.mechanisms.privunit import PrivUnit
from ldp_core.mechanisms.shared.caps import caps_at
from tests.data import events
from tests.extent import every

D = 12
RANGE = (-1.0, 1.0)


def test_the_reference_at_a_budget_of_eight():
    """Mathematics, section 8: p ≈ 0.901 and 1/m² ≈ d/7.52."""
    law = caps_at(np.array(8.0), 1)
    assert np.exp(law.log_p) == pytest.approx(0.901, abs=5e-4)
    assert law.scale**2 == pytest.approx(7.52, abs=0.005)


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
    mechanism = PrivUnit(dimension=D, norm=2.0)
    x = np.zeros(D)
    x[0], x[1] = 2 * u, 2 * np.sqrt(1 - u**2)
    sent = mechanism.perturb(np.tile(x, (20_000, 1)), epsilon, *RANGE, np.random.default_rng(4))[:, 0]
    reach = 12 * np.sqrt(float(mechanism.at(epsilon, *RANGE).max_variance)) + 12
    grid = np.linspace(-reach, reach, 400_001)
    density = np.exp(mechanism.at(epsilon, *RANGE).marginal_log_prob(grid, 2 * u))
    heights = np.cumsum(density) * (grid[1] - grid[0])
    assert heights[-1] == pytest.approx(1, abs=1e-3)
    distance = stats.kstest(sent, lambda y: np.interp(y, grid, heights)).statistic
    assert distance < stats.kstwo.isf(ALARM, len(sent)) + 1e-3


def test_vectors_inside_the_ball_are_not_clipped():
    mechanism = PrivUnit(dimension=D, norm=0.5)
    inside = np.random.default_rng(0).standard_normal((3, D)).astype(np.float32)
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
