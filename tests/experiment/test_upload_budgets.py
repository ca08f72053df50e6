"""A budget for a whole upload is spent, not divided away."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_core import limits, mechanisms
from ldp_core.accounting import DELTA, ledger
from ldp_core.experiment import EPSILON_MODES, RANGE_MODES, parse, plan
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.mechanisms.shared.gaussian_privacy import epsilon_of
from ldp_core.simulate import simulate
from tests.data import digits

GAUSSIAN: list[dict[str, Any]] = [
    {"name": "gaussian"},
    {"name": "gaussian", "calibration": "classical"},
    {"name": "gaussian", "calibration": "paper001"},
    {"name": "gaussian", "sensitivity": 3.0},
    {"name": "dynamic_gaussian"},
]


def asked(mechanism: Any, epsilon: float = 8.0, **more: Any) -> dict[str, Any]:
    clients = {"epsilon": epsilon, "epsilon_scope": "upload", "count": 4}
    return {"mechanism": mechanism, "clients": clients, "rounds": 2} | more


@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_gaussian_upload_epsilon_equals_the_asked_one(epsilon: float):
    """A 650th of 8 for each weight, each at its own δ, came to 0.44 an upload; asked was 8."""
    entry = ledger(asked("gaussian", epsilon))[0]
    assert entry["upload"]["epsilon"] == pytest.approx(epsilon, rel=1e-9)
    assert entry["upload"]["delta"] == DELTA
    assert entry["coordinate"]["epsilon"] < epsilon / 5
    assert entry["run_worst"]["epsilon"] > epsilon


@pytest.mark.parametrize("form", ["corrected", "as_printed"])
@pytest.mark.parametrize("mechanism", GAUSSIAN, ids=lambda m: " ".join(map(str, m.values())))
def test_every_calibration_is_the_one_for_a_whole_upload(mechanism: dict[str, Any], form: str):
    """Whatever a formula makes of 8, it is the same as for who chose a budget per upload in the mechanism."""
    one = parse(asked(mechanism, form=form))
    other = parse(
        {"mechanism": mechanism | {"per": "upload"}, "clients": {"epsilon": 8, "count": 4}, "rounds": 2}
        | {"form": form}
    )
    assert plan(one).terms.released().uses == 1
    assert plan(one).randomiser == plan(other).randomiser
    assert plan(one).pieces(2) == plan(other).pieces(2)
    assert ledger(one) == ledger(other)
    np.testing.assert_array_equal(plan(one).population.epsilon, np.full(4, 8.0))
    mu = float(plan(one).pieces(1)[0].mechanism.at(8.0, -1.0, 1.0).mu)
    assert ledger(one)[0]["upload"]["epsilon"] == pytest.approx(float(epsilon_of(DELTA, mu)), rel=1e-9)


def test_the_same_run_has_one_key_and_another_run_another():
    per_upload = {"name": "gaussian", "per": "upload"}
    assert plan(parse(asked("gaussian"))).key == plan(parse(asked(per_upload))).key
    weights = parse({"mechanism": "gaussian", "clients": {"epsilon": 8, "count": 4}, "rounds": 2})
    assert plan(weights).key != plan(parse(asked("gaussian"))).key


@pytest.mark.parametrize("name", [n for n in mechanisms.offered() if "gaussian" not in n])
def test_other_mechanisms_divide_the_upload_budget(name: str):
    experiment = parse(asked(name))
    mechanism = mechanisms.get(name)
    assert mechanism.for_uploads() is mechanism
    np.testing.assert_allclose(
        plan(experiment).population.epsilon, 8 / plan(experiment).terms.released().uses
    )


@pytest.mark.parametrize("name", ["gaussian", "dynamic_gaussian"])
def test_gaussian_upload_budget_trains_and_is_attacked(name: str):
    events = list(simulate(parse(asked(name, seed=1)), digits()))
    assert events[-1].as_json()["status"] == "completed"
    rounds = [e.as_json() for e in events if e.as_json()["event"] == "round"]
    for event in rounds:
        assert event["noise_variance"] == pytest.approx(event["noise_variance_theory"], rel=0.25)
    attacks = [e.as_json() for e in events if e.as_json()["event"] == "attack"]
    assert any(event["cap"] is not None for event in attacks)


def test_the_rungs_of_a_ladder_are_in_the_mechanisms_own_scope():
    ladder = parse_ladder({"base": asked("gaussian"), "mechanisms": ["gaussian"]})
    assert plan(ladder.experiment(mechanisms.get("gaussian"))).randomiser.scope == "coordinate"


@pytest.mark.parametrize("name", [*EPSILON_MODES, *RANGE_MODES])
@given(count=st.integers(1, 3000))
def test_every_mode_deals_every_client_something_allowed(name: str, count: int):
    mode = EPSILON_MODES.get(name) or RANGE_MODES[name]
    dealt = mode.deal(count)
    assert dealt.shape == (count,)
    limit = limits.EPSILON if name in EPSILON_MODES else limits.HALF_WIDTH
    assert all(limit.allows(value) for value in set(dealt.tolist()))
    assert mode.label
    assert mode.summary.endswith(".")


def test_the_papers_modes():
    deal = {name: mode.deal for name, mode in (EPSILON_MODES | RANGE_MODES).items()}
    assert deal["eps1"](5).tolist() == [0.1, 0.2, 0.1, 0.2, 0.1]
    assert deal["eps2"](12).tolist() == pytest.approx([*(k / 10 for k in range(1, 11)), 0.1, 0.2])
    assert deal["eps3"](3).tolist() == [0.9, 1.0, 0.9]
    # the papers give lengths; a range here is a half-width
    assert (2 * deal["tau1"](3)).tolist() == pytest.approx([0.2, 0.4, 0.2])
    assert (2 * deal["tau2"](11)).tolist() == pytest.approx([*(k / 5 for k in range(1, 11)), 0.2])
    assert (2 * deal["tau3"](3)).tolist() == pytest.approx([1.8, 2.0, 1.8])


def test_the_scenarios_modes():
    assert EPSILON_MODES["two_volunteers"].deal(20).tolist() == [0.5] * 18 + [8.0] * 2
    assert EPSILON_MODES["half_and_half"].deal(20).tolist() == [0.5] * 10 + [8.0] * 10
    three = EPSILON_MODES["three_levels"].deal(100)
    assert [int((three == e).sum()) for e in (0.5, 2, 8)] == [54, 37, 9]
    heavy = EPSILON_MODES["heavy_tailed"].deal(1000)
    assert (np.diff(heavy) >= 0).all()
    assert np.median(heavy) < 0.5
    assert heavy.max() == 20
    assert [EPSILON_MODES["heavy_tailed"].deal(count).max() for count in (20, 49, 50)] == pytest.approx(
        [8, 19.6, 20]
    )


def test_a_budget_for_the_upload_is_shared_by_its_weights():
    population = plan(parse({"clients": {"epsilon": [6.5] * 20, "epsilon_scope": "upload"}})).population
    np.testing.assert_allclose(population.epsilon, 0.01)
