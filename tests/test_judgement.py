"""One rule for what becomes of a statement, at its borders and in what it says on a page."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from ldp_core.judgement import RULE, Outcome, at_chance, judged
from ldp_core.paired import difference
from pages.parts.papers.words import LOOKS, badge


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


def test_one_seed_tells_nothing_however_far_apart():
    assert difference([0.9], [0.1]).outcome == "cannot tell"
    assert difference([0.9, 0.91], [0.1, 0.1]).outcome == "holds"


def test_a_true_zero_is_contradicted_once_in_forty():
    """A 95 % interval misses at each end in 2.5 % of worlds; fails by chance once in 5 000 at most."""
    generator = np.random.default_rng(3)
    found = [difference(generator.normal(0, 0.02, 5), np.zeros(5)).outcome for _ in range(4000)]
    for outcome in ("holds", "contradicted"):
        assert abs(found.count(outcome) / 4000 - 0.025) < 4 * np.sqrt(0.025 * 0.975 / 4000)


def test_chance_is_known_or_nothing_is_said():
    assert at_chance(0.149, 0.1)
    assert not at_chance(0.151, 0.1)
    assert not at_chance(0.1, None)


def test_each_outcome_is_explained_and_red_is_for_the_contradicted_alone():
    assert all(f"**{outcome}**" in RULE for outcome in get_args(Outcome))
    assert [word for word in LOOKS if "red" in badge(word)] == ["contradicted"]
    assert sum(look.colour == LOOKS["cannot tell"].colour for look in LOOKS.values()) == 1
