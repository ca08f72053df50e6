"""What every aggregator promises."""

from typing import Any

import numpy as np
import pytest
import torch

from ldp_core import aggregators
from ldp_core.aggregators.base import NoiseMoments
from ldp_core.aggregators.probability_selection import ProbabilitySelection
from ldp_core.errors import InvalidInput
from ldp_core.experiment import parse, plan
from ldp_core.theory import client_weights, server_variance, worst_variance

ALL = [aggregators.get(name) for name in aggregators.names()]


def test_a_majority_is_a_sign():
    votes = np.array([[1.0, -1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 0.0]], dtype=np.float32)
    majority = aggregators.get("sign_majority")
    np.testing.assert_allclose(majority.aggregate(votes, [1 / 3] * 3), [1, -1, 0])
    tensor = majority.aggregate(torch.from_numpy(votes), [1 / 3] * 3)
    assert tensor.dtype == torch.float32
    np.testing.assert_allclose(tensor.numpy(), [1, -1, 0])
    small = aggregators.get("sign_majority", step=0.01)
    np.testing.assert_allclose(small.aggregate(votes, [0.6, 0.2, 0.2]), [0.01, -0.01, 0.01], rtol=1e-6)
    by_noise = aggregators.get("sign_majority", votes="inverse_std")
    np.testing.assert_allclose(by_noise.weights([1.0, 4.0]), [2 / 3, 1 / 3])


def test_tied_vote_is_tied_in_any_summation_order():
    """Sums of ±1/K round to ±1e-17, one way on one processor and otherwise on another."""
    majority, generator = aggregators.get("sign_majority"), np.random.default_rng(0)
    kinds: list[Any] = [np.asarray, torch.from_numpy]
    for count in range(2, 61, 2):
        votes = generator.permuted(np.tile([[1.0], [-1.0]], (count // 2, 50)), axis=0)
        for kind in kinds:
            assert not majority.aggregate(kind(votes), [1 / count] * count).any()
            votes[0] += 2 / count
            assert (majority.aggregate(kind(votes), [1 / count] * count) == 1).all(), "one is more"
            votes[0] -= 2 / count


def test_votes_are_weighed_like_the_named_aggregator():
    """By lot as well: an empty draw leaves none, and the weights, moments and noise are the lottery's."""
    variances, sizes, here = np.array([1.0, 4.0, 0.25]), np.ones(3), np.ones(3, dtype=bool)
    drawn = NoiseMoments(np.array([0.9, 1.0, 0.8]), np.array([0.1, 0.0, -0.2]))
    for votes, name in (("inverse_variance", "inverse_variance"), ("lottery", "probability_selection")):
        majority, plain = aggregators.get("sign_majority", votes=votes), aggregators.get(name)
        for seed in range(20):
            by_vote = majority.weights(variances, generator=np.random.default_rng(seed))
            np.testing.assert_array_equal(
                by_vote, plain.weights(variances, generator=np.random.default_rng(seed))
            )
        for one, other in zip(majority.moments(variances), plain.moments(variances), strict=True):
            np.testing.assert_array_equal(one, other)
        ask = (drawn, variances, sizes, here)
        np.testing.assert_array_equal(majority.noise(*ask), plain.noise(*ask))


@pytest.mark.parametrize("sizes", [[1, 2, 3], [1.0, np.nan], [-1, 2], [0, 0], [np.inf, 1], "ab"])
@pytest.mark.parametrize("aggregator", ALL, ids=lambda a: a.name)
def test_sizes_that_are_none_are_refused(aggregator, sizes: object):
    with pytest.raises(InvalidInput, match="sizes"):
        aggregator.weights([1.0, 2.0], sizes=sizes, generator=np.random.default_rng(0))


@pytest.mark.parametrize("between", [-1.5, np.nan, np.inf])
@pytest.mark.parametrize("aggregator", ALL, ids=lambda a: a.name)
def test_a_variance_between_clients_that_is_none_is_refused(aggregator, between: float):
    with pytest.raises(InvalidInput, match="between"):
        aggregator.weights([1.0, 2.0], between=between, generator=np.random.default_rng(0))


def test_the_lottery_of_paper_001(oracles):
    """P(none), and each client's weight in the rounds that are not empty."""
    lottery = ProbabilitySelection()
    checked = 0
    for point in oracles["aggregation_and_noise"]["seed001"]:
        known = point.get("selection")
        if known is None:
            continue
        checked += 1
        variances = np.array(point["aggregation"]["sigma"]) ** 2
        mean, square, none = lottery.moments(variances)
        assert lottery.probabilities(variances) == pytest.approx(known["P"], rel=1e-9)
        assert none == pytest.approx(known["prob_none_selected"], rel=1e-9)
        assert mean / (1 - none) == pytest.approx(known["expected_weight_given_nonempty"], rel=1e-9)
        assert mean.sum() == pytest.approx(1 - none)
        assert (square <= mean + 1e-15).all()
    assert checked >= 5


def test_the_lottery_draws_as_its_moments_say():
    """Over 20 000 draws, within 5 standard errors (false alarm below 1e-6 for each client)."""
    lottery, generator = ProbabilitySelection(), np.random.default_rng(3)
    variances = np.array([1.0, 1.0, 0.25, 0.01])
    mean, square, none = lottery.moments(variances)
    drawn = np.array([lottery.weights(variances, generator=generator) for _ in range(20_000)])
    error = 5 * np.sqrt((square - mean**2) / len(drawn))
    assert (np.abs(drawn.mean(axis=0) - mean) <= error).all()
    empty = (drawn.sum(axis=1) == 0).mean()
    assert abs(empty - none) < 5 * np.sqrt(none * (1 - none) / len(drawn))
    assert set(np.round(drawn.sum(axis=1), 9)) == {0.0, 1.0}
    with pytest.raises(InvalidInput, match="needs a generator"):
        lottery.weights(variances)


def test_lottery_moments_include_between_client_variance():
    own, given = ProbabilitySelection(between=2.0), ProbabilitySelection()
    np.testing.assert_allclose(own.moments([1.0, 4.0])[0], given.moments([1.0, 4.0], between=2.0)[0])


@pytest.mark.parametrize("aggregator", ALL, ids=lambda a: a.name)
def test_the_noise_of_many_rounds_is_that_of_each(aggregator):
    """One by one that is a promise (tests/contract): many rounds at once have the same."""
    generator = np.random.default_rng(4)
    worst = generator.gamma(1.0, size=(3, 6)) + 0.1
    drawn = NoiseMoments(worst * 0.7, generator.normal(size=worst.shape))
    sizes, here = generator.integers(1, 9, worst.shape).astype(float), generator.random(worst.shape) < 0.7
    here[2] = False
    noise, none = aggregator.noise(drawn, worst, sizes, here)
    assert (noise[2], none[2]) == (0, 1)
    for row, who in enumerate(here[:2]):
        variance, bias, seen, held = (part[row, who] for part in (*drawn, worst, sizes))
        alone = aggregator.noise(NoiseMoments(variance, bias), seen, held, np.ones(len(seen), dtype=bool))
        np.testing.assert_allclose((noise[row], none[row]), alone, rtol=1e-12)


@pytest.mark.parametrize("aggregator", ALL, ids=lambda a: a.name)
@pytest.mark.parametrize("variances", [[], [[1.0]], [-1.0, 1.0], [np.nan], [np.inf, 1.0], "x"])
def test_invalid_variances_are_refused(aggregator, variances: object):
    with pytest.raises(InvalidInput, match="variances"):
        aggregator.weights(variances)


def test_weights_by_hand():
    variances = [1.0, 4.0]
    np.testing.assert_allclose(aggregators.get("mean").weights(variances), [0.5, 0.5])
    np.testing.assert_allclose(aggregators.get("inverse_std").weights(variances), [2 / 3, 1 / 3])
    np.testing.assert_allclose(aggregators.get("inverse_variance").weights(variances), [0.8, 0.2])
    between = aggregators.get("inverse_variance").weights(variances, between=2.0)
    np.testing.assert_allclose(between, [2 / 3, 1 / 3])
    without = aggregators.get("inverse_variance").weights([0.0, 1.0, 0.0])
    np.testing.assert_allclose(without, [0.5, 0, 0.5])
    np.testing.assert_allclose(aggregators.get("data_weighted").weights([1, 9], sizes=[30, 10]), [0.75, 0.25])


def test_least_noise_is_reached_by_its_weights_only():
    """What the summaries promise: for weights in mid-range the order may be the other way round, as the
    Noise page shows.
    """
    names = ("mean", "inverse_std", "inverse_variance")
    clients = {"count": 2, "epsilon": [0.5, 8.0], "range": [0.05, 1.5]}
    experiments = [parse({"clients": clients, "aggregator": name, "attack": None}) for name in names]
    middle = [server_variance(one) for one in experiments]
    worst = [float(client_weights(plan(one)) ** 2 @ worst_variance(plan(one))) for one in experiments]
    assert middle[0] < middle[1] < middle[2]
    assert worst[0] > worst[1] > worst[2]
    for name in names[1:]:
        assert "worst case" in aggregators.registry.kind(name).summary


def test_paper_001s_settings(oracles):
    """The weights and the variance of the three weightings, in the paper's own settings."""
    points = oracles["aggregation_and_noise"]["seed001"]
    assert len(points) >= 5
    for point in points:
        known = point["aggregation"]
        variances = np.array(known["sigma"]) ** 2
        for name, weights, variance in (
            ("mean", None, "var_uniform"),
            ("inverse_std", "alpha_seed001", "var_seed001_inv_sigma"),
            ("inverse_variance", "inverse_variance_weights", "var_inverse_variance"),
        ):
            got = aggregators.get(name).weights(variances)
            if weights:
                assert got == pytest.approx(known[weights], rel=1e-9)
            assert (got**2 * variances).sum() == pytest.approx(known[variance], rel=1e-9)
