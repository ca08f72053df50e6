"""What has changed since a run was launched, said in the words that stand on the page."""

from dataclasses import replace
from typing import Any

import pytest

from ldp_core import presets
from pages.parts.systems.unlike import changes, differing

DRAFT = presets.get("two_volunteers").draft


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"rounds": 60}, "rounds 15 → 60"),
        ({"local.optimizer": "adam"}, "optimiser SGD → Adam"),
        ({"target": "update"}, "what is sent the weights → what changed"),
        ({"clients.epsilon_scope": "upload"}, "one ε covers one weight → a whole upload"),
        ({"model": "mlp"}, "model Logistic regression → Network, one hidden layer"),
        ({"selection.kind": "fraction"}, "who takes part everybody → a random share"),
        ({"clients.epsilon": 3.0}, "budgets Two volunteers → ε 3 for all"),
        ({"attack.attacker": "posterior", "attack.rounds_observed": 3}, "the attack"),
        ({"seed": 3}, "first seed 0 → 3"),
    ],
)
def test_a_change_is_said_in_the_words_of_its_field(change: dict[str, Any], said: str):
    assert changes(DRAFT.as_json(), DRAFT.with_base(change).as_json()) == said


@pytest.mark.parametrize(
    ("first", "then", "said"),
    [
        ({"model": "mlp"}, {"model.hidden": 48}, "hidden units"),
        ({"model": {"name": "mlp", "hidden": 16}}, {"model.hidden": 48}, "hidden units 16 → 48"),
        ({"partition.kind": "dirichlet"}, {"partition.alpha": 0.1}, "concentration α 1 → 0.1"),
        ({"clients.range": 0.1}, {"clients.range": 1.0}, "safe ranges ±0.1 for all → ±1 for all"),
        ({"mechanism.name": "grr"}, {"mechanism.levels": 9}, "levels "),
    ],
)
def test_changed_parameter_is_named_by_its_part(first: Any, then: Any, said: str):
    before = DRAFT.with_base(first)
    result = changes(before.as_json(), before.with_base(then).as_json())
    assert result.startswith(said)
    assert " and " not in result
    assert len(differing(before.as_json(), before.with_base(then).as_json())) == 1


def test_both_ends_of_the_ranges_are_one_change():
    now = DRAFT.with_base({"clients.low": [-2.0] * 20, "clients.high": [2.0] * 20})
    assert changes(DRAFT.as_json(), now.as_json()) == "safe ranges"


def test_the_rest_is_counted():
    now = DRAFT.with_base({"rounds": 2, "seed": 3, "clients.epsilon": 1.0, "local.epochs": 9})
    assert changes(DRAFT.as_json(), now.as_json()).endswith(" and 1 more")


def test_other_variants_are_one_change():
    other = replace(DRAFT, variants=DRAFT.variants[:1])
    assert changes(DRAFT.as_json(), other.as_json()) == "what is compared"
