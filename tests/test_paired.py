"""Differences with an interval: it covers what it should, and is not fooled by a single seed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_core.bits import packed, unpacked
from ldp_core.paired import difference, margin

WORLDS = 4000


@pytest.mark.parametrize("seeds", [2, 3, 5, 10])
def test_the_interval_over_seeds_covers_nineteen_in_twenty(seeds: int):
    """Fails by chance less than once in 10 000: 4.5 standard deviations of a share of 4000 worlds."""
    generator = np.random.default_rng(1)
    ahead = generator.normal(0.05, 0.02, (WORLDS, seeds))
    found = [difference(gaps, np.zeros(seeds)) for gaps in ahead]
    covered = np.mean([one.low <= 0.05 <= one.high for one in found])
    assert abs(covered - 0.95) < 4.5 * math.sqrt(0.95 * 0.05 / WORLDS)


@pytest.mark.parametrize("seeds", [3, 6])
def test_with_the_samples_it_covers_the_truth_about_other_samples_too(seeds: int):
    """At least 95 % of worlds in which seeds, samples and both together move the result.

    Fails by chance less than once in 10 000. Three seeds alone cover less: see the last line.
    """
    generator, n, worlds = np.random.default_rng(2), 100, 1500
    covered, without = 0, 0
    for _ in range(worlds):
        level = 0.7 + generator.normal(0, 0.15, n) + generator.normal(0, 0.01, (seeds, 1))
        gap = 0.1 + generator.normal(0, 0.15, n)
        first = generator.random((seeds, n)) < np.clip(level, 0, 1)
        second = generator.random((seeds, n)) < np.clip(level - gap, 0, 1)
        truth = _truth()
        found = difference(first.mean(1), second.mean(1), (first, second))
        alone = difference(first.mean(1), second.mean(1))
        covered += found.low <= truth <= found.high
        without += alone.low <= truth <= alone.high
        assert found.half >= alone.half
    assert covered / worlds > 0.95 - 4 * math.sqrt(0.95 * 0.05 / worlds)
    assert without <= covered


def _truth() -> float:
    """The expected difference of that world, by 10⁶ draws."""
    if not TRUTH:
        generator, n = np.random.default_rng(3), 1_000_000
        level = 0.7 + generator.normal(0, 0.15, n) + generator.normal(0, 0.01, n)
        gap = 0.1 + generator.normal(0, 0.15, n)
        TRUTH.append(float(np.clip(level, 0, 1).mean() - np.clip(level - gap, 0, 1).mean()))
    return TRUTH[0]


TRUTH: list[float] = []


def test_one_seed_tells_nothing():
    found = difference([0.9], [0.1])
    assert not found.clear
    assert found.half == math.inf


def test_three_seeds_that_agree_are_not_always():
    assert not difference([0.52, 0.50, 0.60], [0.51, 0.49, 0.51]).clear, "ahead in all three"
    assert difference([0.90, 0.86, 0.86], [0.72, 0.70, 0.71]).clear


def test_a_pair_has_one_interval_and_what_is_picked_among_many_needs_more_to_be_clear():
    alone, picked = (difference([0.60, 0.63, 0.62], [0.50, 0.51, 0.54], among=n) for n in (1, 9))
    assert (alone.low, alone.high) == (picked.low, picked.high)
    assert alone.clear and not picked.clear
    assert alone.in_words() in picked.in_words()
    assert alone.in_words().startswith("10, 12 and 8 by seed; 95")
    assert picked.in_words().endswith("; among 9 differences the largest may be so by chance")
    assert difference(np.ones(9), np.zeros(9)).each == "", "too many to be listed"
    assert difference([], []).outcome == "cannot tell", "no seed in common"


def test_the_samples_own_error_is_that_of_a_share():
    assert margin(0.9, 360) == pytest.approx(0.031, abs=0.001)
    assert margin(0.5, 10_000) == pytest.approx(0.0098, abs=0.0001)


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_bits_come_back(flags: list[bool]):
    assert unpacked(packed(flags), len(flags)).tolist() == flags
