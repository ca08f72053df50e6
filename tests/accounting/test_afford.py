"""The ledger read backwards: the ε that is found costs what was asked for, and nothing else does."""

from __future__ import annotations

import math

import pytest

from ldp_core.accounting import epsilon_for, run_budget
from ldp_core.accounting.backwards import TOLERANCE
from ldp_core.errors import InvalidInput
from ldp_core.experiment import changed, parse

SMALL = {"attack": None, "rounds": 3, "clients": {"count": 4, "epsilon": 1.0}}


@pytest.mark.parametrize("mechanism", ["duchi", "laplace", "gaussian"])
@pytest.mark.parametrize("budget", [5.0, 500.0])
def test_the_epsilon_found_costs_the_budget(mechanism: str, budget: float):
    experiment = parse(SMALL | {"mechanism": mechanism})
    found = epsilon_for(experiment, budget)
    costs = run_budget(changed(experiment, {"clients.epsilon": found}))
    assert budget * (1 - TOLERANCE) <= costs <= budget, "and never more"


def test_of_one_use_a_round_the_epsilon_is_a_share_of_the_budget():
    experiment = parse({"system": "optimal_ldp_fl", "dataset": "digits", "attack": None, "rounds": 4})
    assert epsilon_for(experiment, 8.0) == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize("budget", [1e-9, 1e12])
def test_a_budget_that_no_epsilon_gives_is_refused(budget: float):
    with pytest.raises(InvalidInput, match="the budget of the run must lie between"):
        epsilon_for(parse(SMALL | {"mechanism": "duchi"}), budget)


def test_without_noise_nothing_bounds_a_run():
    clear = parse(SMALL | {"mechanism": "none"})
    assert math.isinf(run_budget(clear))
    with pytest.raises(InvalidInput):
        epsilon_for(clear, 10.0)
