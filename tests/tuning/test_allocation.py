"""Nothing within everybody's limits leaves less noise, and each client costs what it is said to."""

from typing import Any

import numpy as np
import pytest

from ldp_core import aggregators
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Experiment, changed, parse
from ldp_core.theory import server_variance, worst_variance
from ldp_core.tuning.allocation import BEST, MEAN, Allocation, allocate

BUDGETS = [0.3, 0.5, 1.0, 2.0, 4.0, 4.0]
HALVES = [2.0, 0.4, 1.0, 3.0, 0.8, 1.5]


def made(mechanism: str = "piecewise", **clients: Any) -> Experiment:
    asked = {"count": 6, "epsilon": BUDGETS, "range": HALVES} | clients
    return parse({"mechanism": mechanism, "clients": asked, "rounds": 3})


@pytest.mark.parametrize("mechanism", ["piecewise", "duchi", "laplace", "gaussian", "pdpm"])
def test_no_other_weights_budgets_and_ranges_within_the_limits_leave_less(mechanism: str):
    """Random ones, and random steps away from the answer, which come closer to it."""
    found, generator = allocate(made(mechanism), need=1.0), np.random.default_rng(3)
    assert found.left[BEST] == pytest.approx(1 / (1 / found.variance).sum())
    lowest = np.minimum(HALVES, 1.0)  # narrower would clip what a client would accept
    best = np.inf
    for i in range(60):
        share = 1.0 if i % 3 else generator.random(6)
        budgets = np.array(BUDGETS) * np.exp(-generator.exponential(0.2, 6) * (i % 2))
        halves = lowest + (np.array(HALVES) - lowest) * generator.random(6) * (i % 2)
        other = made(mechanism, epsilon=(budgets * share).tolist(), range=halves.tolist())
        variance = worst_variance(other)
        weights = generator.dirichlet(np.ones(6), 50)
        near = found.weights + generator.normal(0, 0.01, (50, 6)) * found.weights
        weights = np.concatenate([weights, near / near.sum(axis=1, keepdims=True)])
        best = min(best, float((weights**2 @ variance).min()))
    assert found.left[BEST] <= best < 1.05 * found.left[BEST], "and the search came close"


def test_ranges_are_as_wide_as_needed_and_as_accepted():
    found = allocate(made(), need=1.0)
    assert found.experiment.clients.bounds()[1].tolist() == [1.0, 0.4, 1.0, 1.0, 0.8, 1.0]
    assert found.clipped == 2
    assert found.experiment.clients.budgets().tolist() == BUDGETS
    assert found.experiment.aggregator.name == BEST
    assert allocate(made()).experiment.clients.bounds()[1].tolist() == HALVES
    uneven = allocate(made(range=None, low=-3, high=[0.5] * 5 + [2]), need=1.0).experiment.clients
    assert [ends.tolist() for ends in uneven.bounds()] == [[-1.0] * 6, [0.5] * 5 + [1.0]]


@pytest.mark.parametrize("aggregator", [BEST, MEAN])
def test_what_a_client_costs_is_the_noise_with_another_one_or_none_in_its_place(aggregator: str):
    found = allocate(made())

    def noise(variance: np.ndarray) -> float:
        return float(aggregators.get(aggregator).weights(variance) ** 2 @ variance)

    now = noise(found.variance)
    assert found.left[aggregator] == pytest.approx(now)
    for i in range(6):
        stands_in, rest = found.variance.copy(), np.delete(found.variance, i)
        stands_in[i] = found.least
        assert found.if_like(found.least, aggregator)[i] == pytest.approx(noise(stands_in) / now)
        stands_in[i] = found.median
        assert found.if_like(found.median, aggregator)[i] == pytest.approx(noise(stands_in) / now)
        assert found.without(aggregator)[i] == pytest.approx(noise(rest) / now)


def test_what_is_left_out_of_an_upload_has_no_noise():
    """R-PSS does not send a fifth of the weights: noise was stated 1/√0.8 times what the Noise page says."""
    clients = {"count": 5, "epsilon": [1, 2, 3, 4, 5]}
    kept = parse({"system": "pprd_fl", "dataset": "digits", "mechanism": "laplace", "clients": clients})
    found = allocate(kept)
    assert found.left[BEST] == pytest.approx(server_variance(found.experiment), rel=1e-9)


def test_one_client_is_all_there_is():
    alone = allocate(made(count=1, epsilon=1.0, range=1.0))
    assert alone.without().tolist() == alone.without(MEAN).tolist() == [np.inf]
    assert alone.if_like(2 * alone.least).tolist() == [2.0]
    assert alone.weights.tolist() == [1.0]


def test_a_client_next_to_whom_none_counts_is_not_lost_to_rounding():
    found = Allocation(made(), np.array([1e-9, 1e9, 1e9]), 0)
    assert found.without()[0] == pytest.approx(1e9 / (1 / 1e9 + 1 / 1e9), rel=1e-9)
    assert found.without()[1:] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("experiment", "need", "words"),
    [
        (made("none"), None, "there is no noise to be shared out: none sends values as they are"),
        (made("ldpsign"), None, "ldpsign sends votes"),
        (made(), 0.0, "must be a number above 0; got 0.0"),
        (
            changed(made(), {"clients.low": 2, "clients.high": 3}),
            1.0,
            "client 1 accepts weights between 2 and 3 only, and none are there if they reach ±1",
        ),
    ],
)
def test_what_cannot_be_is_a_sentence(experiment: Experiment, need: float | None, words: str):
    with pytest.raises(InvalidInput, match=words):
        allocate(experiment, need)
