"""Figures on the papers' cards, computed again."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from ldp_core import mechanisms, papers
from ldp_core.mechanisms.base import Floats

LARGEST, CLIENTS, DELTA = 16_050, 150, 1e-5
"""Weights of paper 004's largest layer; who answers in a round, on average; the ledger's δ."""


def card(name: str, title: str) -> str:
    return papers.get(name).flaws[title]


def test_noise_and_reach_are_in_lengths_of_the_range():
    """One weight of 16 050, in the middle of a range of length 1, by any of 150 clients."""
    noise = {
        epsilon: math.sqrt(float(one.variance(0.0, epsilon, -0.5, 0.5)) / CLIENTS)
        for epsilon in (1.0, 100.0)
        for one in [mechanisms.get("harmony", dimension=LARGEST)]
    }
    assert f"{noise[1.0]:.0f} times the range's length at ε 1" in card(
        "optimal_ldp_fl", "One weight of 16 050"
    )
    assert f"and of {noise[100.0]:.0f} times however" in card("optimal_ldp_fl", "One weight of 16 050")
    reach = LARGEST / CLIENTS / 2 / math.tanh(0.5)
    assert f"{reach:.0f} times the range's length" in card("optimal_ldp_fl", "The ranges run away")


def test_shuffling_gain_is_stated_as_a_bound():
    sentence = card("optimal_ldp_fl", "Shuffling gives nothing here")
    assert "Counted exactly, 150" not in sentence
    any_mechanism = least(clones(math.exp(-1)), 1)
    of_bits, exact = least(clones(2 / (math.e + 1)), 1), max(least(counts(1, n), 1) for n in range(CLIENTS))
    assert (any_mechanism, of_bits, exact) == pytest.approx((0.439, 0.354, 0.318), abs=1e-3)
    assert f"ε 1 into {any_mechanism:.2f} at most" in sentence
    assert f"Duchi's two answers that is {of_bits:.2f} ({exact:.2f}, counted exactly)" in sentence
    assert f"ε 5 stays {max(least(counts(5, n), 5) for n in (0, CLIENTS - 1)):.2f}" in sentence


def test_clear_weights_and_own_scales_identify_clients():
    """R-PSS passes over a weight with 0.2 where 10 % go in clear, and with 0.4 where 20 % do: half are always
    chosen. Of a scale that is a tenth larger, some of 10 000 answers at weights of 0 lie beyond the other's.
    """
    sentence = card("pprd_fl", "A part goes in clear")
    assert f"{1 - 0.8**10:.3f} at 10 %, of {1 - 0.6**10:.3f} at 20 %" in sentence
    reach = 1 / math.tanh(2)
    beyond = 0.2 * reach * math.exp(mechanisms.get("piecewise").log_prob(0.95 * reach, 0.0, 8.0, -1.0, 1.0))
    assert 1e-9 < (1 - beyond) ** 10_000 < 2e-8
    assert "probability of 0.99999999 at ε 8" in card("pd_ldpfl", "The scale gives the weights away")


def least(delta: Callable[[float], float], most: float) -> float:
    return float(brentq(lambda epsilon: delta(epsilon) - DELTA, 1e-4, most))


def clones(share: float) -> Callable[[float], float]:
    """δ by ε at local ε 1: each other client answers with this probability like one of the two inputs, at
    even odds (Feldman, McMillan and Talwar 2021; e^−ε for any mechanism, 2/(e^ε + 1) for two answers).
    """
    others, ones = np.ogrid[:CLIENTS, :CLIENTS]
    weight = binom.pmf(others, CLIENTS - 1, share) * binom.pmf(ones, others, 0.5)
    right = math.e / (math.e + 1)
    first, second = np.zeros((2, CLIENTS, CLIENTS + 1))
    for end, chance in ((1, right), (0, 1 - right)):
        first[:, end : end + CLIENTS] += weight * chance
        second[:, 1 - end : 1 - end + CLIENTS] += weight * chance
    return lambda epsilon: hockey_stick(first, second, epsilon)


def counts(local: float, ones: int) -> Callable[[float], float]:
    """The same, counted: how many of 150 answers are the upper one, where so many others lie at that end."""
    right = 1 / (1 + math.exp(-local))
    rest = np.convolve(
        binom.pmf(np.arange(ones + 1), ones, right),
        binom.pmf(np.arange(CLIENTS - ones), CLIENTS - 1 - ones, 1 - right),
    )
    up, down = np.convolve(rest, [1 - right, right]), np.convolve(rest, [right, 1 - right])
    return lambda epsilon: max(hockey_stick(up, down, epsilon), hockey_stick(down, up, epsilon))


def hockey_stick(first: Floats, second: Floats, epsilon: float) -> float:
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())
