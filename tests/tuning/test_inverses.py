"""What is found backwards gives forwards what was asked for, and a little less would not do."""

import math
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ldp_core import mechanisms
from ldp_core.accounting import ledger
from ldp_core.composition.backwards import TOLERANCE
from ldp_core.errors import StudioError
from ldp_core.experiment import Experiment, changed, parse
from ldp_core.theory import server_variance
from ldp_core.tuning import inverses

MIXED = {"kind": "shuffled", "message": "coordinate"}

NOISY = [name for name in mechanisms.offered() if mechanisms.get(name).role == "estimate"]
AGGREGATORS = ["mean", "inverse_variance", "inverse_std", "data_weighted"]


def made(mechanism: str = "duchi", **fields: Any) -> Experiment:
    return parse({"mechanism": mechanism, "clients": {"count": 12}, "rounds": 4} | fields)


def left(experiment: Experiment, epsilon: float, count: int | None = None) -> float:
    fields = {"clients.epsilon": epsilon} | ({} if count is None else {"clients.count": count})
    return math.sqrt(server_variance(changed(experiment, fields)))


experiments = st.builds(
    lambda mechanism, aggregator, half, count, share: made(
        mechanism,
        aggregator=aggregator,
        clients={"count": count, "range": half},
        selection={"kind": "fraction", "fraction": share} if share < 1 else "all",
    ),
    st.sampled_from(NOISY),
    st.sampled_from(AGGREGATORS),
    st.floats(0.01, 3),
    st.integers(1, 12),
    st.sampled_from([0.5, 1.0]),
)


@settings(max_examples=12)
@given(experiments, st.floats(0.05, 8))
@example(
    made("laplace", clients={"count": 1, "range": 0.01}, selection={"kind": "fraction", "fraction": 0.5}),
    7.75,
)
def test_inverse_epsilon_is_least_for_the_noise(experiment: Experiment, epsilon: float):
    sigma = left(experiment, epsilon)
    found = inverses.at_noise(experiment, sigma)
    assert found.epsilon == pytest.approx(epsilon, rel=1e-6)
    assert found.aggregate <= sigma * (1 + 1e-12)
    assert left(experiment, found.epsilon * (1 - 1e-6)) > sigma


@settings(max_examples=12)
@given(experiments, st.floats(0.2, 8), st.floats(0.2, 0.9))
def test_with_one_client_fewer_the_noise_is_more(experiment: Experiment, epsilon: float, share: float):
    sigma = left(experiment, epsilon, 1) * share
    found = inverses.clients_for(experiment, epsilon, sigma)
    assert left(experiment, epsilon, found.clients) <= sigma * (1 + 1e-12)
    assert left(experiment, epsilon, found.clients - 1) > sigma


@pytest.mark.parametrize("mechanism", ["duchi", "piecewise", "gaussian", "privunit"])
def test_a_run_costs_its_budget_and_never_more(mechanism: str):
    experiment = made(mechanism)
    budget = inverses.follows(experiment, 1.3).run.bound
    found = inverses.at_run_budget(experiment, budget)
    assert found.epsilon == pytest.approx(1.3, rel=1e-3)
    assert budget * (1 - TOLERANCE) <= found.run.bound <= budget
    entry = ledger(changed(experiment, {"clients.epsilon": found.epsilon}))[7]
    assert asdict(found.run) == entry["run_worst"]


@pytest.mark.parametrize(
    "changes",
    [
        {"mechanism": {"name": "gaussian", "sensitivity": 0.2}, "clients": {"count": 2, "range": [0.1, 1]}},
        {"mechanism": "duchi", "trust": MIXED, "clients": {"count": 99, "range": [1] * 90 + [0.5] * 9}},
    ],
    ids=["stated sensitivity", "heaps"],
)
def test_run_budget_holds_for_clients_of_unequal_ranges(changes: dict[str, Any]):
    experiment = parse(changes | {"rounds": 2, "target": "update"})
    found = inverses.at_run_budget(experiment, 3.0)
    every = ledger(changed(experiment, {"clients.epsilon": found.epsilon}))
    worst = [entry["run_worst"]["epsilon"] for entry in every]
    assert min(worst) < max(worst) == found.run.bound <= 3


def test_sampled_turnouts_limit_the_stated_digits():
    """Seventeen ranges are as many kinds of clients, too many to go through."""
    ranges = [1 + i / 100 for i in range(17)]
    drawn = made(
        clients={"count": 17, "range": ranges}, selection="self_sampling", aggregator="inverse_variance"
    )
    found = inverses.at_noise(drawn, 0.5)
    assert 0 < found.aggregate_error < 0.01
    for value in (found.epsilon, found.aggregate, found.aggregate_error):
        assert len(f"{value!r}".replace(".", "").lstrip("0")) <= 6
    exact = inverses.at_noise(made(clients={"count": 17}, selection="self_sampling"), 0.5)
    assert exact.aggregate_error == 0 and exact.aggregate == pytest.approx(0.5, rel=1e-8)


def test_each_epsilon_states_its_scope():
    assert inverses.follows(made(), 1.0).covers == "per weight"
    assert inverses.follows(made("privunit"), 1.0).covers == "per upload"
    upload = made(clients={"count": 4, "epsilon": 10, "epsilon_scope": "upload"})
    assert inverses.follows(upload, 10.0).covers == "per upload"


def test_sign_is_worst_by_its_squared_bias():
    """A sign b of a weight w within ±0.5 errs by E(b − w)² = 1 − 2w·E b + w²."""
    found = inverses.follows(made("ldpsign", clients={"count": 12, "range": 0.5}), 0.3)
    sigma, w = math.sqrt(2 * math.log(1.25e5)) / 0.3, 0.5
    assert found.worst**2 == pytest.approx(1 - 2 * w * math.erf(w / sigma / math.sqrt(2)) + w**2, rel=1e-9)


def test_unequal_clients_and_their_limits_are_left_out():
    unequal = made(clients={"count": 3, "epsilon": [0.1, 1, 2], "run_limit": 5})
    assert inverses.follows(unequal, 1.0) == inverses.follows(made(clients={"count": 3}), 1.0)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: inverses.at_noise(made(), 0.0), "the noise σ must be a number above 0; got 0.0"),
        (lambda: inverses.at_noise(made(), math.nan), "must be a number above 0"),
        (lambda: inverses.at_noise(made(), 1e-3), r"must lie between 0\.2887 and"),
        (lambda: inverses.at_noise(made("none"), 1.0), "a mechanism that adds no noise"),
        (lambda: inverses.clients_for(made(), 0.1, 0.01), "which 1\u202f437 clients leave, as many"),
        (lambda: inverses.clients_for(made(), -1.0, 0.1), "clients.epsilon must be a number"),
        (lambda: inverses.at_run_budget(made(), 1e-9), "the budget of the run must lie between"),
        (
            lambda: inverses.clients_for(made(clients={"count": 2, "range": [1, 2]}), 1.0, 0.1),
            "clients.range must have one number for each",
        ),
        (
            lambda: inverses.at_noise(made("duchi", aggregator="sign_majority"), 1.0),
            "no noise is predicted here, as",
        ),
        (lambda: inverses.at_noise(made("ldpsign"), 0.3), "no estimate of a weight"),
        (lambda: inverses.clients_for(made("ldpsign"), 1.0, 0.3), "no estimate of a weight"),
    ],
)
def test_unanswerable_inverse_is_refused(ask: Any, words: str):
    with pytest.raises(StudioError, match=words):
        ask()
