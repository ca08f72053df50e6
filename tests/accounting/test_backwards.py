"""A budget for the whole run is kept to, used up, and the same as the ledger read forwards."""

from typing import Any

import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.accounting import entries
from ldp_core.composition.backwards import TOLERANCE
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import changed, parse, plan

ASKED = [0.3, 2.0, 8.0, 300.0]
CLIENTS: dict[str, Any] = {"count": 4, "epsilon": ASKED, "epsilon_scope": "run"}
RUN: dict[str, Any] = {"clients": CLIENTS, "rounds": 4}
BOUNDED = [name for name in mechanisms.offered() if mechanisms.get(name).role != "identity"]


@pytest.mark.parametrize("name", BOUNDED)
def test_run_budget_is_met_from_below(name):
    asked = np.array(ASKED)
    costs = np.array([entry.run_worst.bound for entry in entries(plan(parse(RUN | {"mechanism": name})))])
    assert (costs <= asked).all()
    # of ε 300 a single use may take no more than an ε of 700
    assert (costs >= asked * (1 - TOLERANCE)).all()


def test_chance_of_taking_part_counts_at_its_worst():
    drawn = parse(RUN | {"selection": {"kind": "fraction", "fraction": 0.5}})
    assert plan(drawn).population.epsilon == pytest.approx(plan(parse(RUN)).population.epsilon)
    once = parse(RUN | {"selection": "once"})
    assert (plan(once).population.epsilon > plan(drawn).population.epsilon).all()


def test_ranges_of_their_own_get_budgets_of_their_own():
    clients = CLIENTS | {"low": [-1, -1, -0.1, -1], "high": [1, 1, 0.1, 1]}
    wide = plan(parse(RUN | {"mechanism": "gaussian"})).population.epsilon
    mixed = plan(parse({**RUN, "mechanism": "gaussian", "clients": clients})).population.epsilon
    assert mixed == pytest.approx(wide, rel=1e-3)  # σ follows the range


def test_unbounded_noise_is_refused_at_the_scope_field():
    with pytest.raises(InvalidExperiment) as refused:
        parse(RUN | {"mechanism": "piecewise", "form": "as_printed"})
    problem = refused.value.problems[0]
    assert problem.path == "clients.epsilon_scope"
    assert "no ε of the run" in problem.message


def test_the_control_without_noise_may_run_beside_them():
    plain = changed(parse(RUN), {"mechanism.name": "none"})
    assert plan(plain).population.epsilon.tolist() == ASKED


def test_many_different_budgets_are_kept_to_by_steps():
    asked = np.geomspace(0.1, 50, 2000)
    clients = {"count": 1000, "epsilon": asked[:1000].tolist(), "epsilon_scope": "run"}
    some = entries(plan(parse({"clients": clients})), range(0, 1000, 50))
    costs = np.array([one.run_worst.bound for one in some])
    assert (costs <= asked[:1000:50]).all()
    assert (costs >= 0.97 * asked[:1000:50]).all()
