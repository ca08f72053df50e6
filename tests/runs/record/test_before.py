"""A runs folder of the version before the rooms were divided (commit f98f974) opens, and goes on.

tests/runs/before holds its three databases as SQL: the queue, a run that had completed, and one whose worker
was killed after round 16 of 60.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from ldp_core.experiment import parse
from ldp_core.federated.state import State
from ldp_core.runs import jobs, queue
from ldp_core.runs.record.store import Recorder, events_after, runs_of
from ldp_core.simulate import simulate
from tests.conftest import ROOT
from tests.data import digits

BEFORE = ROOT / "tests" / "runs" / "before"
DONE, CUT = "d9f56e1670bd", "b17235fdc5ce"
WEIGHTS = {
    DONE: "a6f9d76a9bb6e9d0b2638e068826a1e5c6131a370c9153f13e1a86001c62020d",
    CUT: "e759ee9d25c952aa2b5571229a530610d6285a1ad21f88a15773f9f28e6ce965",
}
"""Of the whole runs, as that version trained them on the machine that these files come from."""


@pytest.fixture
def before(runs_dir: Path) -> Path:
    for name in ("queue", DONE, CUT):
        file = runs_dir / ("queue.sqlite" if name == "queue" else f"jobs/{name}/events.sqlite")
        file.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(file)
        db.executescript((BEFORE / f"{name}.sql").read_text(encoding="utf-8"))
        db.close()
    return runs_dir


def test_what_had_completed_is_shown_with_its_ledger(before: Path):
    job = queue.get(DONE)
    assert job.status == "completed"
    end = events_after(job.folder)[-1].body
    assert (end["event"], end["round"], end["weights_sha256"]) == ("end", 3, WEIGHTS[DONE])
    assert len(end["ledger"]) == 4
    assert jobs.status(DONE)["accuracy"] == pytest.approx(end["accuracy"])


def test_what_was_cut_is_called_interrupted_and_goes_on_from_its_state(before: Path):
    queue.reap()
    job = queue.get(CUT)
    assert job.status == "interrupted"
    (run,) = runs_of(job.folder)
    told = [event.body for event in events_after(job.folder)]
    recorder = Recorder(job.folder, [])
    (start,) = recorder.starts().values()
    recorder.close()
    assert isinstance(start.state, State)
    assert start.state.round == max(event["round"] for event in told if event["event"] == "round") == 16
    experiment = parse(json.loads(run["experiment"]))
    rest = [event.as_json() for event in simulate(experiment, digits(), start=start.state)]
    whole = [event.as_json() for event in simulate(experiment, digits())]
    assert [e["round"] for e in rest if e["event"] == "round"] == list(range(17, 61))
    assert rest[-1]["weights_sha256"] == whole[-1]["weights_sha256"]
