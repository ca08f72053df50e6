"""Who asks for the same is one line, and what it says of a budget is what the theory says."""

import numpy as np
import pytest

from ldp_core import presets
from ldp_core.experiment import changed, plan
from ldp_core.theory import client_variance
from pages.parts.clients.cells import apply_edits
from pages.parts.clients.costs import MOST_GROUPS, group_data
from pages.parts.ui.text import number

TWO = presets.get("two_volunteers").draft.base


def test_equal_clients_are_grouped_in_one_line():
    result = group_data(TWO)
    assert result
    assert [(one["name"], one["all"]) for one in result["groups"]] == [
        ("18 clients", list(range(1, 19))),
        ("2 clients", [19, 20]),
    ]
    assert [result["words"][one["at"]] for one in result["groups"]] == ["0.5", "8"]


@pytest.mark.parametrize("change", [{}, {"mechanism.name": "gaussian", "clients.epsilon_scope": "upload"}])
def test_each_place_tells_the_noise_of_that_budget(change: dict[str, str]):
    experiment = changed(TWO, change)
    result = group_data(experiment)
    assert result
    first = result["groups"][0]
    for place in (first["at"], 3, len(result["values"]) - 1):
        edits = [((client, "epsilon"), result["values"][place]) for client in first["all"]]
        moved = changed(experiment, apply_edits(experiment.clients, {}, edits).changes)
        assert np.unique(moved.clients.budgets()[:18]).tolist() == [float(result["values"][place])]
        assert first["noise"][place] == f"σ {number(float(np.sqrt(client_variance(plan(moved))[0])))}"


def test_of_too_many_different_clients_there_are_no_lines():
    many = changed(TWO, {"clients.epsilon": [1 + i / 10 for i in range(20)]})
    assert MOST_GROUPS < 20
    assert group_data(many) is None
