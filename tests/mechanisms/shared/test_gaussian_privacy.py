"""Gaussian noise's promise, against mpmath to fifty digits and far beyond usual budgets."""

import mpmath
import numpy as np
import pytest

from ldp_core.mechanisms.shared.gaussian_privacy import delta_of, epsilon_of, mu_of


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
