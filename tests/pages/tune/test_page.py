"""The page as a whole."""

import pytest

from ldp_core import presets
from ldp_core.runs.record import drafts
from tests.pages.conftest import Opened


@pytest.mark.parametrize("mode", ["limits", "formulas"])
def test_tune_opens_where_a_stored_mode_is_gone(mode: str, opened: Opened):
    identity = drafts.new(presets.get("two_volunteers").draft)
    drafts.keep_typed(identity, "what to do", mode)
    (modes,) = (g for g in opened("tune", draft=identity).button_group if g.label == "What to do")
    assert modes.value == "sweep"


def test_colours_of_the_planned_map_are_named(opened: Opened):
    said = " ".join(one.value for one in opened("tune").caption)
    assert all(word in said for word in ("green", "orange", "red"))
