"""Gaussian noise for whole uploads that are shortened to a length: what a range cannot promise."""

import numpy as np
import pytest

from ldp_core.accounting import ledger
from ldp_core.experiment import parse
from ldp_core.mechanisms.dynamic_gaussian import DynamicGaussian
from ldp_core.mechanisms.gaussian import Gaussian
from ldp_core.mechanisms.shared.gaussian_noise import GaussianNoise
from ldp_core.mechanisms.shared.gaussian_privacy import epsilon_of
from ldp_core.streams import stream

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
