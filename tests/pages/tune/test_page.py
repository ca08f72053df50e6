"""The page as a whole."""

from pathlib import Path

import pytest

from ldp_core import presets
from ldp_core.runs.record import drafts
from pages.parts.clients.data_names import seen_of
from pages.parts.tune.ask import goal
from tests.pages.conftest import Opened


@pytest.mark.parametrize("mode", ["limits", "formulas"])
def test_tune_opens_where_a_stored_mode_is_gone(mode: str, opened: Opened):
    identity = drafts.new(presets.get("two_volunteers").draft)
    drafts.keep_typed(identity, "what to do", mode)
    (modes,) = (g for g in opened("tune", draft=identity).button_group if g.label == "What to do")
    assert modes.value == "sweep"


def test_goal_for_own_data_lies_between_guessing_and_ceiling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path))
    rows = [f"{n % 20},{int(n % 20 > 12) ^ (n % 11 == 0)}" for n in range(200)]
    (tmp_path / "mine.csv").write_text("\n".join(["x,outcome", *rows]), encoding="utf-8")
    first, seen = seen_of("table:mine"), seen_of("table:mine")  # the second time it is known
    assert first and seen and seen.ceiling
    assert sum("without noise" in one for one in seen.gives) == 1
    assert 0.5 < seen.guessing < goal(seen) / 100 < seen.ceiling < 1
    assert seen_of("digits") is None
