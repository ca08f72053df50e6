"""Whatever is left free in a lesson, each value makes one run or says why it cannot."""

import pytest

from ldp_core import lessons, presets
from ldp_core.classroom import FREE
from ldp_core.errors import InvalidExperiment
from pages.parts.learn.one_thing import NUMBERS, PARTS, draft_of, first_new


@pytest.mark.parametrize("scenario", presets.names())
def test_every_value_makes_a_run_or_a_sentence(scenario: str):
    for free in FREE:
        for value in list(PARTS[free]) if free in PARTS else NUMBERS[free][0]:
            try:
                draft = draft_of(scenario, free, value, str(value))
            except InvalidExperiment as error:
                assert str(error)
            else:
                assert len(draft.variants) == 1


@pytest.mark.parametrize("name", lessons.names())
def test_what_a_lesson_leaves_free_makes_a_run_at_every_value(name: str):
    lesson = lessons.get(name)
    values = list(PARTS[lesson.free]) if lesson.free in PARTS else NUMBERS[lesson.free][0]
    first, known = values[first_new(lesson.scenario, lesson.free)], presets.get(lesson.scenario).draft
    assert draft_of(lesson.scenario, lesson.free, first, "").experiments()[0] not in known.experiments()
    for value in values:
        assert len(draft_of(lesson.scenario, lesson.free, value, str(value)).experiments()) == 1
