"""Beyond the ends of the reference points: every law against mpmath at sixty digits."""

from typing import Any

import mpmath
import numpy as np
import pytest

from ldp_core import mechanisms

EPSILONS = [1e-3, 1e-2, 25.0, 88.0, 200.0, 700.0]
VALUES = [-0.7, -0.2, 0.05, 0.4]
LOW, HIGH = -0.7, 0.4


def duchi(e: Any, v: Any, r: Any) -> Any:
    return r**2 * mpmath.coth(e / 2) ** 2 - v**2


def laplace(e: Any, v: Any, r: Any) -> Any:
    return 8 * r**2 / e**2


def piecewise(e: Any, v: Any, r: Any) -> Any:
    s = mpmath.exp(e / 2)
    return v**2 / (s - 1) + r**2 * (s + 3) / (3 * (s - 1) ** 2)


def hybrid(e: Any, v: Any, r: Any) -> Any:
    s = mpmath.exp(e / 2)
    if e <= mpmath.mpf("0.609352493027"):
        return duchi(e, v, r)
    return r**2 * ((s + 3) / (3 * s * (s - 1)) + mpmath.coth(e / 2) ** 2 / s)


def harmony(e: Any, v: Any, r: Any) -> Any:
    return r**2 * 9 * mpmath.coth(e / 2) ** 2 - v**2


def pdpm(e: Any, v: Any, r: Any) -> Any:
    """Merged: answers a and −b about the centre."""
    big, length = mpmath.exp(e), 2 * r
    a = length * (big + 3) / (2 * (big - 1))
    b = length * (big + 1) / (2 * (big - 1))
    return (a - v) * (v + b)


def grr(e: Any, v: Any, r: Any) -> Any:
    """Four levels, written out."""
    p = mpmath.exp(e) / (mpmath.exp(e) + 3)
    q = 1 / (mpmath.exp(e) + 3)
    u, levels = v / r, [mpmath.mpf(i) * 2 / 3 - 1 for i in range(4)]
    below = min(2, int(mpmath.floor((u + 1) * 3 / 2)))
    share = (u - levels[below]) * 3 / 2
    hat = [mpmath.mpf(0)] * 4
    hat[below], hat[below + 1] = 1 - share, share
    law = [q + (p - q) * h for h in hat]
    mean = sum(w * y for w, y in zip(law, levels, strict=True)) / (p - q)
    return r**2 * (sum(w * y**2 for w, y in zip(law, levels, strict=True)) / (p - q) ** 2 - mean**2)


LAWS = {
    "duchi": duchi,
    "laplace": laplace,
    "piecewise": piecewise,
    "hybrid": hybrid,
    "harmony": harmony,
    "pdpm": pdpm,
    "grr": grr,
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_variances(name: str, epsilon: float):
    own = {"dimension": 9} if name == "harmony" else {}
    mechanism = mechanisms.get(name, **own)
    with mpmath.workdps(700):  # at ε 700 the formulas as they stand lose 300 digits
        low, high = mpmath.mpf(LOW), mpmath.mpf(HIGH)
        centre, half = (low + high) / 2, (high - low) / 2
        for value in VALUES:
            known = float(LAWS[name](mpmath.mpf(epsilon), mpmath.mpf(value) - centre, half))
            got = mechanism.variance(value, epsilon, LOW, HIGH)
            assert got == pytest.approx(known, rel=1e-9, abs=1e-17)


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
