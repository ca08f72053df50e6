"""What has changed since a run was launched, said in the words that stand on the page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ldp_core import presets
from pages.parts.changes import changes

DRAFT = presets.get("two_volunteers").draft


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"name": "another"}, ""),
        ({"rounds": 60}, "rounds 15 → 60"),
        ({"local.learning_rate": 0.05}, "learning rate 0.5 → 0.05"),
        ({"model": "mlp2"}, "model Logistic regression → Network, two hidden layers"),
        ({"mechanism.name": "duchi"}, "mechanism Piecewise → Duchi"),
        ({"selection.kind": "fraction"}, "who takes part everybody → a random share"),
        ({"clients.epsilon": 3.0}, "budgets two volunteers → 3"),
        ({"clients.epsilon": [1.0] * 20}, "budgets"),
        ({"attack": None}, "attack auto → none"),
        ({"seed": 3}, "first seed 0 → 3"),
    ],
)
def test_a_change_is_said_in_the_words_of_its_field(change: dict[str, Any], said: str):
    told = changes(DRAFT.as_json(), DRAFT.with_base(change).as_json())
    assert told == said or (said and told.startswith(f"{said}, "))  # a choice may bring settings of its own


def test_both_ends_of_the_ranges_are_one_change():
    now = DRAFT.with_base({"clients.low": [-2.0] * 20, "clients.high": [2.0] * 20})
    assert changes(DRAFT.as_json(), now.as_json()) == "safe ranges"


def test_the_rest_is_counted():
    now = DRAFT.with_base({"rounds": 2, "seed": 3, "clients.epsilon": 1.0, "local.epochs": 9})
    assert changes(DRAFT.as_json(), now.as_json()).endswith(" and 1 more")


def test_what_is_compared_is_one_change():
    other = replace(DRAFT, variants=DRAFT.variants[:1])
    assert changes(DRAFT.as_json(), other.as_json()) == "what is compared"
