"""A scenario's stored outcome is what its runs come to, and stays until version or scenario change; the
ladder that is shown before a visitor's own is a real one, with its controls, and has its date.
"""

import json
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from ldp_core import presets
from ldp_core.experiment import Draft
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.runs import outcomes
from ldp_core.runs.lockstep import drive
from ldp_core.runs.stored_ladder import SCENARIO, stored_ladder
from pages.parts.attack.view import pictures
from pages.parts.attack.words import caption, controls
from pages.parts.ui.components import packed


def small() -> Draft:
    whole = presets.get("two_volunteers").draft
    return Draft(whole.with_base({"rounds": 2}).base, whole.variants[1:], 1)


def test_stored_outcome_equals_its_runs():
    draft = small()
    found = outcomes.outcome("two_volunteers", draft)
    run = draft.runs()[1]
    ends = [event for turn in drive({0: run.experiment}) for event in turn.events if event["event"] == "end"]
    assert found.curves[1][-1] == pytest.approx(ends[0]["accuracy"], abs=1e-4)
    assert (found.rounds, found.seeds, found.upload, found.diverged) == (2, 1, "audit", [])
    assert len(found.reference) == len(found.curves[0]) == 3
    assert found.client == 19, "who gives most away"
    assert len(found.pictures) == 2


def test_current_outcome_is_not_recomputed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    real = outcomes.outcome
    made = Mock(side_effect=lambda name, *_: real(name, small()))
    monkeypatch.setattr(outcomes, "outcome", made)
    monkeypatch.setattr(outcomes, "_experiments", lambda _: [small().base])
    for _ in range(2):
        outcomes.make(["two_volunteers"], tmp_path)
    assert made.call_count == 1
    assert capsys.readouterr().out.endswith("of this version already\n")
    file = tmp_path / "two_volunteers.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": "0ld"}))
    outcomes.make(["two_volunteers"], tmp_path)
    assert made.call_count == 2
    file.write_text("{")
    assert outcomes.stored("two_volunteers", tmp_path) is None


def test_the_shipped_ladder_is_whole():
    found = stored_ladder()
    assert found is not None
    ladder = Ladder()
    asked = {(one.name, epsilon) for one in ladder.mechanisms for epsilon in ladder.epsilons}
    assert found.desk.cells.keys() == asked
    assert {control for _, control in found.desk.references} == {"clean", "clipped"}
    assert len(controls(found.desk)) == len(ladder.mechanisms)
    assert "A failed attack proves nothing" in caption(found.desk)
    assert not replace(found, version="0ld").current


def test_shipped_ladder_has_frames_of_every_picture():
    found = stored_ladder()
    assert found and found.scenario == presets.get(SCENARIO).label
    shown = pictures(found.desk)
    assert len(shown["steps"]) > 3
    assert all(len(cell["frames"]) == len(shown["steps"]) for row in shown["rows"] for cell in row["cells"])
    assert len(packed(shown)) < 400_000, "everybody who comes is sent all of it"


def test_damaged_ladder_file_is_ignored(tmp_path: Path):
    assert stored_ladder(tmp_path) is None
    (tmp_path / "ladder.json").write_text('{"version": "a", "date": "b", "events": [{"event": "end"}]}')
    assert stored_ladder(tmp_path) is None
