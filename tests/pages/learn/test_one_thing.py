"""Whatever is left free in a lesson, each value makes one run or says why it cannot."""

from __future__ import annotations

import pytest

from ldp_core import presets
from ldp_core.classroom import FREE
from ldp_core.errors import InvalidExperiment
from pages.parts.learn.one_thing import NUMBERS, PARTS, draft_of


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
