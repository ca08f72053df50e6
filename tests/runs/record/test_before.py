"""A runs folder of the version before the rooms were divided (commit f98f974) opens, and goes on.

tests/runs/before holds its three databases as SQL: the queue, a run that had completed, and one whose worker
was killed after round 16 of 60.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
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


PROSE = {
    "0" * 12: ("queued", f"waiting for job {CUT}, which trains the same runs"),
    "1" * 12: ("queued", "waiting for a better day"),
    "2" * 12: ("completed", "its record was removed to make room"),
    "3" * 12: ("completed", "1 of 2 runs diverged; its record was removed to make room"),
    "4" * 12: ("failed", "it ran out of memory"),
}


@pytest.mark.parametrize("first", ["reader", "writer"])
def test_what_stood_in_its_messages_stands_in_columns(before: Path, first: str):
    """Who waits for whom, and whose record is gone, was read from sentences."""
    with sqlite3.connect(before / "queue.sqlite") as db:
        assert db.execute("PRAGMA user_version").fetchone() == (2,)
        query = (
            "INSERT INTO jobs (id, kind, request, status, message, created) VALUES (?, 'run', '{}', ?, ?, 1)"
        )
        db.executemany(query, [(identity, *said) for identity, said in PROSE.items()])
    if first == "writer":
        queue.say(DONE, "")
    found = {identity: queue.get(identity) for identity in PROSE}
    assert {identity: job.message for identity, job in found.items()} == {
        identity: message for identity, (_, message) in PROSE.items()
    }, "what is told stays as it was"
    assert [job.waits_for for job in found.values()] == [CUT, None, None, None, None]
    assert [job.removed for job in found.values()] == [False, False, True, True, False]
    with sqlite3.connect(before / "queue.sqlite") as db:
        said = [row[0] for row in db.execute("SELECT message FROM jobs WHERE created = 1 ORDER BY id")]
    assert said == ["", "waiting for a better day", "", "1 of 2 runs diverged", "it ran out of memory"]


def test_a_program_of_before_reads_a_queue_of_now(runs_dir: Path):
    """Its worker may be at work still: it takes every column of `jobs` for one that it knows."""
    queue.add("run", {})
    with sqlite3.connect(queue.queue_path()) as db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(jobs)")]
    before = (BEFORE / "queue.sql").read_text(encoding="utf-8").partition(");")[0]
    known = [line.split()[0] for line in before.splitlines()[2:] if line.startswith("    ")]
    assert columns == known


def test_an_old_queue_that_cannot_be_written_to_is_read(before: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ldp_core.runs.storage.database._busy", [0.1])
    with closing(sqlite3.connect(before / "queue.sqlite", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM jobs").fetchone()
        assert queue.get(DONE).status == "completed"
        assert [job.id for job in queue.find()] == [CUT, DONE]


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
    first, after, every = (
        {e["round"]: e["loss"] for e in events if e["event"] == "round"} for events in (told, rest, whole)
    )
    assert [*after] == list(range(17, 61))
    assert {**first, **after} == pytest.approx(every, rel=1e-3)
    if all(every[number] == loss for number, loss in first.items()):  # a processor that rounds as that one
        assert rest[-1]["weights_sha256"] == whole[-1]["weights_sha256"]
