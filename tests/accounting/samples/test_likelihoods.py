"""Bounds from exact likelihoods: seldom above what is so, close to it, and silent where nothing is shown."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from ldp_core import mechanisms
from ldp_core.accounting.samples.likelihoods import (
    expected_bound,
    fewest_trials,
    likelihood_bound,
    log_ratio,
    trials_needed,
)
from ldp_core.mechanisms import Use
from ldp_core.mechanisms.base import Floats

ALPHA = 0.05


def trials(
    name: str, epsilon: float, count: int, generator: np.random.Generator
) -> tuple[Floats, Floats, float]:
    """Of `count` trials in all: those of either world, and the exact ε; the inputs are opposite."""
    dimension = 1 if name == "duchi" else 8
    mechanism = mechanisms.get(name).fitted(Use(dimension))
    law, values = mechanism.at(epsilon, -1.0, 1.0), np.full((2, dimension), dimension**-0.5) * [[1], [-1]]
    found = []
    for value in values:
        sent = law.perturb(np.repeat(value[None], count // 2, axis=0), generator)
        each = log_ratio(law.log_prob(sent, values[0]), law.log_prob(sent, values[1]))
        found.append(each.reshape(count // 2, -1).sum(axis=1))
    return found[0], found[1], float(law.loss)


def exceeds(generator: np.random.Generator, runs: int) -> int:
    """How many calibrated runs of 500 trials of Duchi on one value, with ratios ±ε, claim more than is so;
    budgets take turns.
    """
    found = 0
    for epsilon in np.resize([0.2, 1.0, 4.0], runs):
        own, other = (
            epsilon * (2.0 * (generator.random(250) < p) - 1) for p in (expit(epsilon), expit(-epsilon))
        )
        found += likelihood_bound(own, other, ALPHA).epsilon > epsilon * (1 + 1e-12)
    return found


def test_a_calibrated_run_seldom_claims_more_than_is_so():
    """10 000 runs at 95 %: more than the limit exceed ε in at most one of 10^6 gates."""
    assert exceeds(np.random.default_rng(5), 10_000) <= binom.isf(1e-6, 10_000, ALPHA)


@pytest.mark.parametrize("name", ["duchi", "privunit"])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0, 10.0])
def test_a_hundred_thousand_trials_reach_four_fifths(name: str, epsilon: float):
    """With one seed; of 20 seeds at each of seven budgets none lies below (benchmarks of commit ce21bce7)."""
    one, other, exact = trials(name, epsilon, 100_000, np.random.default_rng(2))
    found = likelihood_bound(one, other, ALPHA)
    assert exact == pytest.approx(epsilon)
    assert 0.8 * epsilon <= found.epsilon <= epsilon
    assert found.epsilon <= found.most


def test_separable_worlds_reach_the_largest_bound():
    apart = np.full(100, np.inf)
    found = likelihood_bound(apart, -apart, ALPHA)
    assert found.epsilon == found.most > 2
    assert (found.right, found.counted) == (180, 180)
    assert likelihood_bound(apart, -apart, ALPHA, delta=0.5).epsilon < found.epsilon
    assert likelihood_bound(-apart, -apart, ALPHA).epsilon == 0


@pytest.mark.parametrize("separation", [0.5, 2.0, 8.0])
def test_likelihood_bound_matches_its_planned_trials(separation: float):
    """Gaussian worlds; each of 30 audits of as many trials as are said to do misses with less than 1e-6."""
    generator, runs = np.random.default_rng(7), int(trials_needed(separation, ALPHA))
    found = []
    for _ in range(10):
        one, other = (generator.normal(side * separation**2 / 2, separation, runs) for side in (1, -1))
        found.append(likelihood_bound(one, other, ALPHA).epsilon)
    assert min(found) > 0
    assert np.median(found) == pytest.approx(expected_bound(separation, runs, ALPHA), rel=0.4)


@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize("count", [100, 1_618, 20_000])
def test_fewest_trials_keep_nine_tenths_of_the_largest_bound(count: int, delta: float):
    def most(runs: int) -> float:
        apart = np.full(runs, np.inf)
        return likelihood_bound(apart, -apart, ALPHA, delta).most

    few = fewest_trials(count, ALPHA, delta)
    assert few < 0.9 * count
    assert most(few) >= 0.9 * most(count) > most(few - 2)
    assert fewest_trials(3, ALPHA) == 3
