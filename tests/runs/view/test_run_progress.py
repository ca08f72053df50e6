"""What is read of a record while others write it, or begin it anew."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ldp_core.experiment import Draft, Run, Variant, parse
from ldp_core.runs.lockstep import drive
from ldp_core.runs.record.store import Recorder
from ldp_core.runs.view.grid_progress import Desk
from ldp_core.runs.view.run_progress import Progress

pytestmark = pytest.mark.usefixtures("runs_dir")


DRAFT = Draft(parse({"rounds": 3, "attack": None}), (Variant("a"), Variant("b", {"aggregator.name": "mean"})))


def train(folder: Path, runs: list[Run]) -> None:
    """Record the whole of these runs."""
    recorder = Recorder(folder, runs)
    for turn in drive({number: run.experiment for number, run in enumerate(runs)}):
        recorder.write(turn)
    recorder.close()


def accuracies(progress: Progress) -> list[list[float]]:
    return [[*run.curves["accuracy"]] for run in progress.runs]


def test_a_record_that_is_begun_anew_is_read_from_its_beginning(tmp_path: Path):
    folder, (first, second) = tmp_path / "job", DRAFT.runs(False)[:2]
    progress, desk = Progress(folder), Desk(folder)
    train(folder, [first, second])
    before = accuracies(progress.update())
    desk.update()
    shutil.rmtree(folder, ignore_errors=True)
    assert progress.update().runs == []
    train(folder, [second])
    assert accuracies(progress.update()) == before[1:]
    assert desk.update().seq == progress.seq


def test_rounds_that_another_job_has_trained_say_nothing_of_the_pace(tmp_path: Path):
    runs = DRAFT.runs(False)[:2]
    recorder = Recorder(tmp_path, runs)
    progress = Progress(tmp_path)
    recorder.copy(0, [], "another")
    turns = [*drive({0: DRAFT.base}, {})]
    for turn in turns:
        recorder.write(turn)
    recorder.flush()
    assert progress.update().rounds_done() == 3
    assert progress.seconds_left(3) is None, "nothing was trained here yet"
    recorder.close()
