"""What is found backwards gives forwards what was asked for, and a little less would not do."""

import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ldp_core import mechanisms
from ldp_core.accounting import entries, ledger
from ldp_core.composition.backwards import TOLERANCE
from ldp_core.errors import InvalidInput, StudioError
from ldp_core.experiment import Experiment, changed, parse, plan
from ldp_core.theory import server_variance
from ldp_core.tuning import inverses, parse_question
from ldp_core.tuning.fits import FACTORS, NoiselessRun, fit_in_words, fitted, next_fits
from ldp_core.tuning.ranking import AssumedClients, ranking

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


def tried(height: Callable[[float, float], float], **base: object) -> tuple[list[NoiselessRun], list[float]]:
    question = parse_question({"accuracy": 0.6, "fits": True, "base": base})
    known, halves = list[NoiselessRun](), list[float]()
    while wanted := next_fits(question, known):
        assert len(wanted) == len(FACTORS) and all(
            plan(one).randomiser.role == "identity" for *_, one in wanted
        )
        halves.append(wanted[0][0])
        known += [NoiselessRun(half, rate, height(half, rate)) for half, rate, _ in wanted]
    return known, halves


def test_range_is_widened_until_training_without_noise_is_flat():
    rate = 0.5 * FACTORS[1]
    known, halves = tried(
        lambda half, at: min(0.71, 0.37 + 0.085 * max(0.0, half - 0.5)) - 0.05 * (at != rate)
    )
    assert halves == [0.25, 0.5, 1, 2, 4, 8, 16, 32][: len(halves)] and halves[-1] >= 16
    question = parse_question({"accuracy": 0.6, "fits": True})
    found = fitted(question, known)
    assert found.ranges == (1, 2, 4, 8)[-len(found.ranges) :] and found.ranges[-1] == 8
    assert found.base.local.learning_rate == rate
    assert "71" in fit_in_words(question, known) and "±8" in fit_in_words(question, known)


def test_flat_curve_needs_few_runs_and_the_narrowest_range():
    known, halves = tried(lambda half, rate: 0.8)
    assert len(halves) == 4
    assert fitted(parse_question({"accuracy": 0.6, "fits": True}), known).ranges == (0.25,)


def test_question_without_fits_stays():
    question = parse_question({"accuracy": 0.6})
    assert fitted(question, [NoiselessRun(1.0, 0.5, 0.9)]) == question
    with pytest.raises(Exception, match="fits"):
        parse_question({"accuracy": 0.6, "fits": 1})


ASKED = AssumedClients(
    clients=24, weights=650, lowest=0.5, highest=8.0, half=1.0, rounds=15, scope="mechanism"
)


@pytest.mark.parametrize("scope", ["mechanism", "upload", "run"])
def test_ranking_equals_theory_and_ledger(scope: str):
    asked = AssumedClients(**vars(ASKED) | {"scope": scope})
    budgets = np.linspace(0.5, 8.0, 24).tolist()
    for one in ranking(asked):
        if one.mechanism.scope != "coordinate":
            continue
        for aggregator, sigma in one.noise.items():
            experiment = parse(
                {
                    "clients": {"count": 24, "epsilon": budgets, "epsilon_scope": scope, "range": 1},
                    "mechanism": one.mechanism.name,
                    "aggregator": aggregator,
                }
            )
            near = 0.02 if scope == "run" else 1e-6  # between its ends a run's budgets are interpolated
            assert sigma**2 == pytest.approx(server_variance(experiment), rel=near), one.mechanism.name
        strict, *_, generous = entries(plan(experiment))
        assert one.strict.bound == pytest.approx(strict.run_worst.bound, rel=1e-6)
        assert one.generous.bound == pytest.approx(generous.run_worst.bound, rel=1e-6)


def test_so_many_more_clients_leave_so_much_less():
    few, many = (
        {one.mechanism.name: one.least for one in ranking(asked)}
        for asked in (ASKED, AssumedClients(**vars(ASKED) | {"clients": 2400}))
    )
    assert many == pytest.approx({name: sigma / 10 for name, sigma in few.items()})


def test_upside_down_budgets_are_refused():
    with pytest.raises(InvalidInput, match="the smallest budget is 9 and the largest 8"):
        ranking(AssumedClients(**vars(ASKED) | {"lowest": 9.0}))
