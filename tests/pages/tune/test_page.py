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
