"""What clients upload: in passes over a few clients at a time and beside each other, to the bits of the plain
way, whichever mechanism and aggregator."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

from ldp_core import aggregators, mechanisms
from ldp_core.accounting import Spending, everyone
from ldp_core.contract import mechanism as checks
from ldp_core.experiment import Piece, parse, plan
from ldp_core.federated import upload
from ldp_core.federated.federation import PrivacyFilter
from ldp_core.federated.upload import uploaded
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.shared.blocks import BLOCK
from ldp_core.systems import Encoded
from tests.data import events
from tests.extent import in_gate
from tests.mechanisms.test_contract import MORE, named

CLIENTS, LAYERS = 7, (slice(0, 40), slice(40, 97))
WIDTH = LAYERS[-1].stop


def fitted(mechanism: Mechanism, layers: tuple[slice, ...]) -> list[Piece]:
    uses = [Use(dimension=one.stop - one.start, rounds=10, round=3, samples=70) for one in layers]
    return [Piece(one, mechanism.fitted(use)) for one, use in zip(layers, uses, strict=True)]


EVERY = [kind() for kind in checks.kinds()] + [mechanisms.get(**dict(one)) for one in MORE]
EVERY.append(mechanisms.get("gaussian", norm=0.8))


def encoded(passing: bool) -> Encoded:
    """Values within and beyond their ranges and at their ends; some that are sent in clear, or not at all."""
    draw = np.random.default_rng(1)
    half = draw.uniform(0.2, 1.5, (CLIENTS, 1))
    values = draw.normal(0, 1, (CLIENTS, WIDTH)).astype(np.float32)
    values[:, 5], values[:, 6] = half[:, 0], -half[:, 0]
    kinds = draw.integers(0, 4, values.shape)
    own = (kinds == 0, kinds == 1) if passing else (None, None)
    return Encoded(values, -half, half + 0.1, *own)


def plainly(
    pieces: list[Piece], given: Encoded, epsilon: np.ndarray, noise: np.random.Generator
) -> tuple[np.ndarray, ...]:
    """Values, exact values, bias and variance, each (k, m), by whole matrices one after another."""
    known, ends = np.float32(0.25), (given.low, given.high)
    exact, values = (np.empty_like(given.values) for _ in range(2))
    bias, variance = (np.empty(exact.shape) for _ in range(2))
    for piece in pieces:
        at = (slice(None), piece.columns)
        exact[at] = piece.mechanism.clip(given.values[at], *ends)
        values[at] = piece.mechanism.perturb(exact[at], epsilon, *ends, noise)
        bias[at] = piece.mechanism.mean(exact[at], epsilon, *ends) - exact[at]
        variance[at] = piece.mechanism.variance(exact[at], epsilon, *ends)
    for passed in (given.clear, given.unsent):
        if passed is not None:
            bias[passed] = variance[passed] = 0.0
            values[passed] = exact[passed]
    if given.unsent is not None:
        values[given.unsent] = exact[given.unsent] = known
    return values, exact, bias, variance


@pytest.mark.parametrize(
    ("mechanism", "name", "threads"),
    [
        (mechanism, name, threads)
        for i, mechanism in enumerate(EVERY)
        for j, name in enumerate(aggregators.names())
        for k, threads in enumerate((1, 2, 4))
        if in_gate((i + j + k) % 6 == 0, True)
    ],
    ids=lambda one: named(one) if isinstance(one, Mechanism) else str(one),
)
def test_chunked_upload_equals_the_plain_way(
    mechanism: Mechanism, name: str, threads: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(upload, "TOGETHER", 2 * WIDTH)  # four passes
    epsilon = np.array([[0.3], [0.609], [0.61], [1.0], [5.0], [40.0], [700.0]])
    aggregator = aggregators.get(name)
    shares = aggregator.weights(1 / epsilon[:, 0], generator=np.random.default_rng(4))
    for layers in ((slice(0, WIDTH),), LAYERS):
        for passing in (False, True):
            pieces, given = fitted(mechanism, layers), encoded(passing)
            noises = [np.random.Generator(np.random.Philox(key=3)) for _ in range(2)]
            values, exact, bias, variance = plainly(pieces, given, epsilon, noises[0])
            found = uploaded(pieces, given, epsilon, np.full(1, 0.25, np.float32), noises[1], shares, threads)
            for ours, theirs in (
                (found.values, values),
                (found.exact, exact),
                (
                    aggregator.aggregate(found.values.astype(np.float64), shares),
                    aggregator.aggregate(values.astype(np.float64), shares),
                ),
            ):
                np.testing.assert_array_equal(ours, theirs)
            # a range's end is rounded to float32
            np.testing.assert_allclose(found.variance, shares**2 @ variance, rtol=1e-7, atol=1e-7)
            np.testing.assert_allclose(found.bias, shares @ bias, rtol=1e-13, atol=1e-7)
            assert noises[0].random() == noises[1].random()  # both have drawn as much


@pytest.mark.parametrize("passing", [False, True])
@pytest.mark.parametrize("mechanism", EVERY, ids=named)
def test_some_clients_tell_whether_there_is_any_noise(
    mechanism: Mechanism, passing: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(upload, "TOGETHER", 2 * WIDTH)
    epsilon, pieces, given = np.ones((CLIENTS, 1)), fitted(mechanism, LAYERS), encoded(passing)
    shares = np.full(CLIENTS, 1 / CLIENTS)

    def found(whether: bool, of: np.ndarray = shares) -> bool:
        noise = np.random.Generator(np.random.Philox(key=3))
        one = uploaded(pieces, given, epsilon, np.zeros(1, np.float32), noise, of, whether=whether)
        return bool(one.variance.any() or one.bias.any())

    assert found(whether=True) == found(whether=False)
    assert not found(whether=True, of=0 * shares)


def test_upload_memory_is_matrix_and_few_moments(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(upload, "TOGETHER", 2**13)
    clients, width, threads = 40, 20_000, 2
    values = np.random.default_rng(1).normal(0, 0.5, (clients, width)).astype(np.float32)
    epsilon, half = np.ones((clients, 1)), np.ones((clients, 1))
    pieces, given = fitted(mechanisms.get("duchi"), (slice(0, width),)), Encoded(values, -half, half)
    noise, known = np.random.Generator(np.random.Philox(key=3)), np.zeros(1, np.float32)
    tracemalloc.start()
    try:
        uploaded(pieces, given, epsilon, known, noise, half[:, 0] / clients, threads)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # the exact and the noisy values; which of them lay outside; each client's two sums of moments
    kept = values.size * (2 * 4 + 1 + 2 * 8)
    passing = threads * 10 * max(8 * width, 4 * BLOCK)
    assert passing < values.size * 8, "one more matrix would be seen"
    assert kept < most < kept + passing


def limited(**changes: Any) -> dict[str, Any]:
    return {"clients": {"epsilon": 0.5, **changes}, "rounds": 6, "attack": None}


def test_client_stops_at_the_last_affordable_upload():
    experiment = parse(limited(run_limit=500))
    spending, client = Spending(plan(experiment).releases), everyone(plan(experiment))[0]
    most = spending.affordable(client, 500)
    assert 0 < most < 6
    assert spending.uploads(client, most).bound <= 500 < spending.uploads(client, most + 1).bound
    purse, sent = PrivacyFilter(plan(experiment)), np.full(20, most)
    assert purse.can_afford(sent - 1).all()
    assert not purse.can_afford(sent).any()
    assert (purse.stopped(sent - 1), purse.stopped(sent)) == (0, 20)
    line = purse.spent(sent, np.arange(1))["0"]
    assert line["uploads"] == most
    assert line["left"] == pytest.approx(500 - line["epsilon"])


def test_without_a_limit_none_stops():
    purse, sent = PrivacyFilter(plan(parse(limited()))), np.ones(20, dtype=np.int64)
    assert purse.stopped(sent) == 0
    assert purse.can_afford(sent).all()
    assert purse.spent(sent, np.arange(1))["0"]["left"] is None


def test_run_continues_without_spent_clients():
    budgets = [0.5] * 10 + [8.0] * 10
    log = events({"clients": {"epsilon": budgets, "run_limit": 10_000}, "rounds": 6, "attack": None})
    rounds = [event for event in log if event["event"] == "round"]
    assert [event["participants"] for event in rounds] == [20, 10, 10, 10, 10, 10]
    assert [event["stopped"] for event in rounds] == [10] * 6
    for event in rounds:
        assert all(line["epsilon"] <= 10_000 for line in event["spent"].values())
    entry = log[-1]["ledger"][-1]
    assert entry["run_worst"]["epsilon"] == rounds[-1]["spent"]["19"]["epsilon"]


def test_model_is_unchanged_when_all_clients_stopped():
    log = events(limited(run_limit=1) | {"rounds": 3, "attack": "auto"})
    rounds = [event for event in log if event["event"] == "round"]
    assert [event["participants"] for event in rounds] == [0, 0, 0]
    assert {event["accuracy"] for event in rounds} == {log[0]["accuracy"]}
    assert {event["noise_variance"] for event in rounds} == {0.0}
    assert log[-1]["status"] == "completed"
    assert not [event for event in log if event["event"] == "attack"], (
        "and nothing is uploaded to be attacked"
    )


def test_gaussian_noise_is_counted_by_its_own_rule():
    own = {"mechanism": {"name": "gaussian", "per": "upload"}, "rounds": 20, "attack": None}
    experiment = parse(own | {"clients": {"epsilon": 1, "run_limit": 3}})
    most = Spending(plan(experiment).releases).affordable(everyone(plan(experiment))[0], 3)
    assert 3 < most < 20, "the root of the sum of squares allows more than adding up"
