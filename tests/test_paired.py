"""Differences with an interval: it covers what it should, one seed tells nothing, and one rule judges it."""

import math
from functools import cache
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_core.events.run import packed, unpacked
from ldp_core.judgement import RULE, Outcome, at_chance, judged
from ldp_core.paired import difference, margin
from pages.parts.papers.words import LOOKS, badge

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
def test_interval_with_samples_covers_other_samples(seeds: int):
    """At least 95 % of worlds; fails by chance less than once in 10 000. Three seeds alone cover less."""
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


@cache
def _truth() -> float:
    """The expected difference of that world, by 10⁶ draws."""
    generator, n = np.random.default_rng(3), 1_000_000
    level = 0.7 + generator.normal(0, 0.15, n) + generator.normal(0, 0.01, n)
    gap = 0.1 + generator.normal(0, 0.15, n)
    return float(np.clip(level, 0, 1).mean() - np.clip(level - gap, 0, 1).mean())


def test_one_seed_gives_no_interval():
    found = difference([0.9], [0.1])
    assert (found.clear, found.half, found.outcome) == (False, math.inf, "cannot tell")
    assert difference([0.9, 0.91], [0.1, 0.1]).outcome == "holds"


def test_three_seeds_that_agree_are_not_always():
    assert not difference([0.52, 0.50, 0.60], [0.51, 0.49, 0.51]).clear, "ahead in all three"
    assert difference([0.90, 0.86, 0.86], [0.72, 0.70, 0.71]).clear


def test_picked_difference_needs_a_wider_margin():
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


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (0.001, 0.4, "holds"),
        (0.0, 0.4, "cannot tell"),
        (-0.4, -0.001, "contradicted"),
        (-0.4, 0.0, "cannot tell"),
        (-0.005, 0.005, "no difference"),
        (-0.005, 0.006, "cannot tell"),
        (0.0, 0.0, "no difference"),
        (-np.inf, np.inf, "cannot tell"),
        (np.nan, np.nan, "cannot tell"),
    ],
)
def test_an_interval_has_one_outcome(low: float, high: float, outcome: str):
    assert judged(low, high) == outcome


def test_a_true_zero_is_contradicted_once_in_forty():
    """A 95 % interval misses at each end in 2.5 % of worlds; fails by chance once in 5 000 at most."""
    generator = np.random.default_rng(3)
    found = [difference(generator.normal(0, 0.02, 5), np.zeros(5)).outcome for _ in range(4000)]
    for outcome in ("holds", "contradicted"):
        assert abs(found.count(outcome) / 4000 - 0.025) < 4 * np.sqrt(0.025 * 0.975 / 4000)


def test_at_chance_needs_a_known_chance_level():
    assert at_chance(0.149, 0.1)
    assert not at_chance(0.151, 0.1)
    assert not at_chance(0.1, None)


def test_only_contradicted_outcomes_are_red():
    assert all(f"**{outcome}**" in RULE for outcome in get_args(Outcome))
    assert [word for word in LOOKS if "red" in badge(word)] == ["contradicted"]
    assert sum(look.colour == LOOKS["cannot tell"].colour for look in LOOKS.values()) == 1
