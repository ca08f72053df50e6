"""Presets: found by discovery, runnable, and worded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_core import presets
from ldp_core.accounting import ledger
from ldp_core.errors import UnknownName
from ldp_core.experiment import checked, parse, parse_draft
from tests.data import events


def test_the_default_comes_first_and_is_the_empty_experiment():
    assert presets.names()[0] == "two_volunteers"
    base = presets.get("two_volunteers").draft.base
    assert base.key == parse({}).key


@pytest.mark.parametrize("name", presets.names())
def test_every_preset_can_run_and_says_what_it_teaches(name: str):
    preset = presets.get(name)
    draft = checked(preset.draft)
    assert draft.base.name == preset.label
    assert parse_draft(draft.as_json()) == draft
    assert preset.question.endswith("?")
    assert preset.lesson.endswith(".")
    keys = [experiment.key for experiment in draft.experiments()]
    assert len(set(keys)) == len(keys), "two variants are the same run"


def test_the_default_compares_its_three_aggregators():
    experiments = presets.get("two_volunteers").draft.experiments()
    assert [e.aggregator.name for e in experiments] == ["mean", "inverse_std", "inverse_variance"]


def test_an_unknown_preset_is_refused():
    with pytest.raises(UnknownName, match="did you mean two_volunteers"):
        presets.get("two_volunters")


def last_rounds(name: str, seed: int) -> list[dict[str, Any]]:
    """The last round's event of each variant."""
    found = []
    for experiment in presets.get(name).draft.experiments():
        changes = experiment.as_json() | {"seed": seed, "attack": None}
        found.append([event for event in events(changes) if event["event"] == "round"][-1])
    return found


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_who_is_silenced(seed: int):
    """Weights by noise forget the digits that only the cautious hold, whatever the seed."""
    mean, by_noise, repaired = last_rounds("who_is_silenced", seed)
    late = [np.mean(one["accuracy_per_class"][5:]) for one in (mean, by_noise, repaired)]
    assert late[1] < 0.05 < 0.2 < late[2]
    assert late[0] > 0.2
    assert np.mean(by_noise["accuracy_per_class"][:5]) > 0.9
    assert by_noise["client_weights"]["permissive"] > 0.9
    assert by_noise["accuracy_per_group"]["permissive"] > by_noise["accuracy_per_group"]["strict"] + 0.3
    assert repaired["accuracy"] > by_noise["accuracy"] + 0.05


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_what_epsilon_really_says(seed: int):
    strict, middle, loose = (one["accuracy"] for one in last_rounds("what_epsilon_says", seed))
    assert strict < 0.4 < middle < loose
    assert loose > 0.85
    entries = [ledger(e)[0] for e in presets.get("what_epsilon_says").draft.experiments()]
    assert [entry["upload"]["basic"] for entry in entries] == pytest.approx([8, 65, 650])
    assert [entry["coordinate"]["epsilon"] for entry in entries] == pytest.approx([8 / 650, 0.1, 1])


def test_send_changes_not_models():
    weights, changes = (one["accuracy"] for one in last_rounds("send_changes", 0))
    assert changes > weights + 0.2
