"""Presets: found by discovery, runnable, and worded."""

import pytest

from ldp_core import presets
from ldp_core.errors import UnknownName
from ldp_core.experiment import checked, parse, parse_draft, plan


def test_the_default_comes_first_and_is_the_empty_experiment():
    assert presets.names()[0] == "two_volunteers"
    base = presets.get("two_volunteers").draft.base
    assert plan(base).key == plan(parse({})).key


@pytest.mark.parametrize("name", presets.names())
def test_every_preset_parses_with_question_and_lesson(name: str):
    preset = presets.get(name)
    draft = checked(preset.draft)
    assert draft.base.name == preset.label
    assert parse_draft(draft.as_json()) == draft
    assert preset.question.endswith("?")
    assert preset.lesson.endswith(".")
    keys = [plan(experiment).key for experiment in draft.experiments()]
    assert len(set(keys)) == len(keys), "two variants are the same run"


def test_an_unknown_preset_is_refused():
    with pytest.raises(UnknownName, match="did you mean two_volunteers"):
        presets.get("two_volunters")
