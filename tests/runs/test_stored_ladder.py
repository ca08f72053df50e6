"""The ladder that is shown before a visitor's own is a real one, with its controls, and has its date."""

from dataclasses import replace
from pathlib import Path

from ldp_core import presets
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.runs.stored_ladder import SCENARIO, stored_ladder
from pages.parts.attack.pictures import pictures
from pages.parts.attack.words import caption, controls, findings
from pages.parts.ui.components import packed


def test_the_shipped_ladder_is_whole():
    found = stored_ladder()
    assert found is not None
    ladder = Ladder()
    asked = {(one.name, epsilon) for one in ladder.mechanisms for epsilon in ladder.epsilons}
    assert found.desk.cells.keys() == asked
    assert {control for _, control in found.desk.references} == {"clean", "clipped"}
    assert len(findings(found.desk)) == len(controls(found.desk)) == len(ladder.mechanisms)
    assert "A failed attack proves nothing" in caption(found.desk)
    assert not replace(found, version="0ld").current


def test_its_pictures_are_of_a_scenario_and_one_can_go_back_through_them():
    found = stored_ladder()
    assert found and found.scenario == presets.get(SCENARIO).label
    shown = pictures(found.desk)
    assert len(shown["steps"]) > 3
    assert all(len(cell["frames"]) == len(shown["steps"]) for row in shown["rows"] for cell in row["cells"])
    assert len(packed(shown)) < 400_000, "everybody who comes is sent all of it"


def test_a_damaged_one_is_none(tmp_path: Path):
    assert stored_ladder(tmp_path) is None
    (tmp_path / "ladder.json").write_text('{"version": "a", "date": "b", "events": [{"event": "end"}]}')
    assert stored_ladder(tmp_path) is None
