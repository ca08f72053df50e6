"""Who wants to takes part: in law three of four, and none now and then."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_core import selections, theory
from ldp_core.experiment import parse
from tests.data import rounds


def test_three_of_four_take_part_independently():
    """Of 200 clients 150 ± 6.1; over 2 000 rounds within 6 standard errors (false alarm < 1e-8)."""
    one = selections.get("self_sampling")
    counts = np.array([len(one.choose(200, 0, number, 2000)) for number in range(1, 2001)])
    assert abs(counts.mean() - 150) < 6 * 6.1237 / np.sqrt(2000)
    assert abs(counts.var() / 37.5 - 1) < 6 * np.sqrt(2 / 2000)


def test_with_few_clients_a_round_may_be_empty():
    one = selections.get("self_sampling")
    empty = np.mean([not len(one.choose(2, 0, number, 4000)) for number in range(1, 4001)])
    assert empty == pytest.approx(0.25**2, abs=6 * np.sqrt(0.0625 * 0.9375 / 4000))
    found = rounds({"clients": {"count": 1, "epsilon": 8}, "selection": "self_sampling", "rounds": 12})
    silent = [i for i, one in enumerate(found) if not one["participants"]]
    assert silent, "twelve rounds without one have a chance of 0.03, and these are always the same"
    for i in silent[1:]:
        assert found[i]["accuracy"] == found[i - 1]["accuracy"]


def test_the_noise_is_predicted_for_those_who_come():
    """Averages over who comes: the variance of a mean of n goes as E[1/n]; within 2 % of the exact sum."""
    experiment = parse({"selection": "self_sampling", "mechanism": "duchi", "clients": {"epsilon": 1}})
    everybody = parse({"mechanism": "duchi", "clients": {"epsilon": 1}})
    counts = np.random.default_rng(0).binomial(20, 0.75, 200_000)
    factor = np.mean(20 / counts[counts > 0])
    ratio = theory.server_variance(experiment) / theory.server_variance(everybody)
    assert ratio == pytest.approx(factor, rel=0.02)
