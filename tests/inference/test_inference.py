"""Differences with an interval: it covers what it should, one seed tells nothing, and one rule judges it."""

import ast
import math
from functools import cache
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from ldp_core.events.run import packed, unpacked
from ldp_core.inference import coinciding, difference, interval, margin, spread, within
from ldp_core.inference.difference import Difference, tukey
from ldp_core.inference.finding import SENTENCES, Finding, ranking
from ldp_core.inference.outcome import RULE, Outcome, at_chance, judged
from pages.parts.papers.badges import LOOKS, badge
from tests.test_layers import PRODUCT, in_package, module_of, of_each

WORLDS = 4000


@pytest.mark.parametrize("seeds", [2, 3, 5, 10])
def test_interval_of_a_mean_covers_nineteen_in_twenty(seeds: int):
    """Fails by chance less than once in 10 000: 4.5 standard deviations of a share of 4000 worlds."""
    ahead = np.random.default_rng(1).normal(0.05, 0.02, (WORLDS, seeds))
    covered = np.mean([one.low <= 0.05 <= one.high for one in map(interval, ahead)])
    assert abs(covered - 0.95) < 4.5 * math.sqrt(0.95 * 0.05 / WORLDS)


@pytest.mark.parametrize("designs", [2, 5])
def test_seeds_added_one_by_one_err_once_in_twenty(designs: int):
    """Of equal designs, with a look after each seed; fails by chance less than once in 10 000."""
    generator, wrong, worlds = np.random.default_rng(4), 0, 600
    for _ in range(worlds):
        table = generator.normal(0.8, 0.02, (designs, 20))
        for seeds in range(3, 21):
            known = table[:, :seeds]
            ranked = known[np.argsort(known.mean(1))]
            pairs = designs * (designs - 1) // 2
            if difference(ranked[-1], ranked[0], None, pairs, spread(known)).clear:
                wrong += 1
                break
    assert wrong / worlds < 0.05 + 4 * math.sqrt(0.05 * 0.95 / worlds)


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
    assert difference([0.9, 0.91], [0.1, 0.1]).outcome == "cannot tell", "two seeds judge nothing"
    assert difference([0.9, 0.91, 0.9], [0.1, 0.1, 0.1]).outcome == "holds"


def test_three_seeds_that_agree_are_not_always():
    assert not difference([0.52, 0.50, 0.60], [0.51, 0.49, 0.51]).clear, "ahead in all three"
    assert difference([0.90, 0.86, 0.86], [0.72, 0.70, 0.71]).clear


def test_picked_difference_needs_a_wider_margin():
    alone, picked = (difference([0.60, 0.63, 0.62], [0.50, 0.52, 0.53], among=n) for n in (1, 9))
    assert alone.clear and not picked.clear and picked.half > alone.half
    assert alone.in_words().startswith("10, 11 and 9 by seed; 95")
    assert "all 9 pairs" in picked.in_words()
    assert "interval" in difference([0.6, 0.63], [0.5, 0.52]).in_words(), "too few for one"
    assert difference(np.ones(9), np.zeros(9)).each == "", "too many to be listed"
    assert difference([], []).outcome == "cannot tell", "no seed in common"


def found_worse(
    sweeps: int, designs: int, seeds: int, held_out: int, unlike: float, behind: float
) -> tuple[float, float]:
    """Share of simulated sweeps with any verdict on the best, and share of the worse half that is found:
    runs' spread 1.5 points, log-normal over designs by `unlike`, partly shared; `behind` of the half.
    """
    generator = np.random.default_rng([designs, seeds, held_out, round(100 * behind)])
    levels = np.full(designs, 0.8)
    levels[designs // 2 :] -= behind
    some, found = 0, 0.0
    for _ in range(sweeps):
        own = 0.015 * np.exp(unlike * generator.standard_normal((designs, 1)))
        luck = 0.5 * 0.015 * generator.standard_normal(seeds)
        truth = levels[:, None] + luck + math.sqrt(0.75) * own * generator.standard_normal((designs, seeds))
        table = generator.binomial(held_out, truth.clip(0, 1)) / held_out
        best, pairs = int(table.mean(1).argmax()), designs * (designs - 1) // 2
        gaps = [difference(table[best], row, None, pairs, spread(table), held_out) for row in table]
        clear = np.array([gap.clear for gap in gaps])
        some += int(clear.any())
        found += clear[designs // 2 :].mean()
    return some / sweeps, found / sweeps


def found_by_sample(
    sweeps: int, designs: int, seeds: int, held_out: int, unlike: float, behind: float
) -> tuple[float, float]:
    """As `found_worse` of sweeps whose right answers are recorded by sample: each sample has a difficulty of
    its own, and a little more or less of it with each design.
    """
    generator = np.random.default_rng([designs, seeds, held_out, round(100 * behind), 1])
    levels = np.full(designs, 0.8)
    levels[designs // 2 :] -= behind
    some, found = 0, 0.0
    for _ in range(sweeps):
        own = 0.015 * np.exp(unlike * generator.standard_normal((designs, 1)))
        runs = levels[:, None] + own * generator.standard_normal((designs, seeds))
        sample = 0.4 * (generator.random(held_out) < 0.5) - 0.2
        sample = sample + 0.1 * generator.standard_normal((designs, 1, held_out))
        right = generator.random((designs, seeds, held_out)) < (runs[..., None] + sample).clip(0, 1)
        table = right.mean(2)
        best, pairs = int(table.mean(1).argmax()), designs * (designs - 1) // 2
        clear = np.array(
            [
                difference(table[best], row, (right[best], bits), pairs, spread(table)).clear
                for row, bits in zip(table, right, strict=True)
            ]
        )
        some += int(clear.any())
        found += clear[designs // 2 :].mean()
    return some / sweeps, found / sweeps


@pytest.mark.parametrize(("designs", "seeds"), [(2, 3), (5, 2), (5, 3), (9, 5), (30, 3)])
@pytest.mark.parametrize("unlike", [0.0, 0.7])
def test_equal_designs_are_told_apart_once_in_twenty(designs: int, seeds: int, unlike: float):
    """Fails by chance less than once in 10 000 at a true rate of 6 in 100: of 250 sweeps at most 30."""
    assert found_worse(250, designs, seeds, 360, unlike, 0.0)[0] <= 0.12


def test_equal_designs_by_sample_are_told_apart_once_in_twenty():
    """Fails by chance less than once in 10 000 at a true rate of 6 in 100: of 250 sweeps at most 30."""
    assert found_by_sample(250, 5, 3, 360, 0.7, 0.0)[0] <= 0.12
    assert found_by_sample(100, 5, 3, 1000, 0.0, 0.12)[1] > 0.3


def test_six_points_of_nine_designs_are_found_in_three_seeds():
    """Pairs alone find 1 in 100 of them; fails by chance less than once in 10 000."""
    assert found_worse(100, 9, 3, 360, 0.0, 0.06)[1] > 0.1


def test_range_of_means_has_tabled_quantiles():
    for level, designs, freedom in [(0.95, 3, 4), (0.95, 9, 16), (0.98, 30, 58)]:
        exact = scipy.stats.studentized_range.ppf(level, designs, freedom)
        assert tukey(level, designs, freedom) == pytest.approx(exact, rel=0.005)


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


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [(88.1, 91.9, "holds"), (80, 100, "cannot tell"), (92.1, 95, "contradicted"), (92, 95, "cannot tell")],
)
def test_figure_within_the_whole_interval_holds(low: float, high: float, outcome: str):
    assert within(low, high, 90.0, 2.0) == outcome


@pytest.mark.parametrize(("first", "second"), [(3, 20), (5, 10)])
def test_two_planned_looks_err_once_in_twenty(first: int, second: int):
    """As Papers looks: undecided statements get more seeds once; an unwidened interval errs in 9 of 100."""
    values = np.random.default_rng(5).normal(0, 1, (4000, second))
    found = ([interval(one[:n], among=2) for n in (first, second)] for one in values)
    wrong = np.mean([any(look.low > 0 or look.high < 0 for look in looks) for looks in found])
    assert wrong < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 4000)


def test_three_trials_that_coincide_are_not_sure():
    few, many = (interval([1.0] * n, least=coinciding(n)) for n in (3, 20))
    assert few.low < 0.1 and many.low > 0.8


def test_at_chance_needs_a_known_chance_level():
    assert at_chance(0.149, 0.1)
    assert not at_chance(0.151, 0.1)
    assert not at_chance(0.1, None)


def test_only_contradicted_outcomes_are_red():
    assert all(f"**{outcome}**" in RULE for outcome in get_args(Outcome))
    assert [word for word in LOOKS if "red" in badge(word)] == ["contradicted"]
    assert sum(look.colour == LOOKS["cannot tell"].colour for look in LOOKS.values()) == 1


SURE, CLOSE, SAME = [0.9, 0.91, 0.92], [0.89, 0.915, 0.9], [0.9, 0.91, 0.92]
FAR = [0.2, 0.21, 0.22]


def found(*runs: list[float], cause: str | None = "the aggregator", chance: float = 0.1) -> Finding:
    def between(one: int, other: int) -> Difference:
        return difference(runs[one], runs[other], held_out=10**7)

    named = [((f"run {n}", n), sum(each) / len(each)) for n, each in enumerate(runs)]
    return ranking(named, chance, between, cause)


@pytest.mark.parametrize(
    ("made", "kinds"),
    [
        (found(SURE), ("one",)),
        (found(SURE, FAR), ("cause",)),
        (found(SURE, FAR, cause=""), ("ahead",)),
        (found(SURE, CLOSE, FAR), ("cause, next close",)),
        (found(SURE, CLOSE), ("cannot tell",)),
        (found(SURE, CLOSE, FAR, cause=""), ("cannot tell", "and the last")),
        (found(SURE, SAME), ("no difference",)),
        (found(SURE[:1], FAR[:1]), ("leads once",)),
        (found(SURE[:1], SURE[:1]), ("cannot tell",)),
        (found(SURE[:2], FAR[:2]), ("leads",)),
        (found(FAR, FAR, chance=0.2), ("nothing learns",)),
        (found(SURE, CLOSE, cause=None), ("luck",)),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, tuple) and isinstance(one[0], str) else "",
)
def test_finding_says_what_intervals_allow(made: Finding, kinds: tuple[str, ...]):
    assert made.kinds == kinds
    assert len(made.text().split()) <= 25
    assert "{" not in made.text()


def test_every_language_has_every_sentence():
    assert len({frozenset(one) for one in SENTENCES.values()}) == 1


QUANTILES = {
    *("stdtrit", "nctdtrit", "chdtri", "fdtri", "ndtri", "bdtri", "betaincinv", "btdtri", "erfinv"),
    *("ppf", "isf", "sem", "studentized_range", "ttest_1samp", "ttest_ind", "ttest_rel", "NormalDist"),
}
LAWS = (
    "ldp_core.mechanisms",  # of their noise
    "ldp_core.accounting",  # of privacy loss, and what samples show of it
    "ldp_core.contract",  # of samples against them
    "ldp_core.attacks.findings.bounds",  # of the best attacker
    "pages.parts.noise.adding_up",  # of noise added up
)
OTHERS = [
    file
    for file in PRODUCT
    if not any(in_package(module_of(file), name) for name in ("ldp_core.inference", *LAWS))
]


def statistics(source: str) -> set[str]:
    """Names of quantiles, and `ddof` of a sample's spread, that code uses."""
    found = set[str]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            found |= {alias.name for alias in node.names} & QUANTILES
        elif isinstance(node, ast.Attribute):
            found |= {node.attr} & QUANTILES
        elif isinstance(node, ast.keyword):
            found |= {str(node.arg)} & {"ddof"}
    return found


@of_each(OTHERS)
def test_figures_are_judged_in_one_room(file: Path):
    used = statistics(file.read_text(encoding="utf-8"))
    assert not used, f"uses {', '.join(sorted(used))}: ask ldp_core.inference"
