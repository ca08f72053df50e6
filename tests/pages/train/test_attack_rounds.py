"""Whose upload is under attack: by the budget that it has in the runs on the page, and no other."""

import json

import pytest

from ldp_core import presets
from ldp_core.experiment import Draft, Variant
from ldp_core.runs.view.run_curves import RunProgress
from pages.parts.charts.series import Series
from pages.parts.train.attack_rounds import client_names


def shown(draft: Draft, *clients: int) -> list[Series]:
    """The draft's runs, once their targets are known."""
    found = []
    for number, (variant, one) in enumerate(zip(draft.variants, draft.experiments(), strict=True)):
        run = RunProgress(number, variant.label, 0, json.dumps(one.as_json()))
        each = one.population().epsilon
        run.targets = {client: {"epsilon": float(each[client])} for client in clients}
        found.append(Series(number, variant.label, (run,)))
    return found


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("same_epsilon", "ε 1 or 8 per weight"),
        ("everybody_equal", "ε 1 or 4 or 8 per weight"),
        ("what_epsilon_says", "ε 8 or 65 or 650 per upload"),
    ],
)
def test_a_client_whose_budget_differs_over_the_runs_has_all_of_them(preset: str, expected: str):
    draft = presets.get(preset).draft
    assert client_names(draft, shown(draft, 9)) == {9: expected}


def test_many_budgets_are_stated_by_their_ends():
    base = presets.get("two_volunteers").draft.base
    draft = Draft(base, tuple(Variant(f"ε {n}", {"clients.epsilon": float(n)}) for n in range(1, 6)))
    assert client_names(draft, shown(draft, 0)) == {0: "ε 1 to 5 per weight"}


def test_a_client_keeps_its_place_where_that_is_the_same_in_all_runs():
    draft = presets.get("two_volunteers").draft
    names = client_names(draft, shown(draft, 0, 3, 19))
    assert names == {0: "strictest", 3: "ε 0.5 per weight", 19: "most permissive"}
