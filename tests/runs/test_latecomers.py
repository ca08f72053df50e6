"""Whoever comes late finds things as they are: records begun anew, jobs taken up, pins just set."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from ldp_core.errors import StorageFailed
from ldp_core.experiment import Draft, Run, Variant, parse
from ldp_core.runs import jobs, queue
from ldp_core.runs.lockstep import drive
from ldp_core.runs.process import worker
from ldp_core.runs.queue.job import waiting_for
from ldp_core.runs.queue.people import is_teacher
from ldp_core.runs.record import quota, run_cache
from ldp_core.runs.record.store import Recorder
from ldp_core.runs.storage import database
from ldp_core.runs.view import listing
from ldp_core.runs.view.eta import Pace
from ldp_core.runs.view.grid_progress import Desk
from ldp_core.runs.view.run_progress import Progress
from ldp_core.system import process_identity
from tests.busy import within
from tests.data import events
from tests.runs.record.test_quota import record

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
    quota.put_away(folder)
    assert progress.update().runs == []
    train(folder, [second])
    assert accuracies(progress.update()) == before[1:]
    assert desk.update().seq == progress.seq


def test_who_finds_a_job_ownerless_does_not_interrupt_somebody_who_took_it_up(
    monkeypatch: pytest.MonkeyPatch,
):
    identity = queue.add("run", {"draft": {}})
    assert queue.claim()
    really = process_identity.is_alive

    def late(pid: int, since: float) -> bool:
        monkeypatch.setattr(process_identity, "is_alive", really)
        queue.move(identity, "interrupted")
        assert queue.requeue(identity)
        with sqlite3.connect(queue.queue_path()) as db:  # as another worker would
            db.execute("UPDATE jobs SET status = 'running', owner_pid = 1, owner_since = 2.0")
        return False

    monkeypatch.setattr(process_identity, "is_alive", late)
    assert queue.reap() == []
    assert queue.get(identity).status == "running"


def test_a_job_never_waits_for_itself():
    identity = queue.add("run", {"draft": {}})
    with sqlite3.connect(queue.queue_path()) as db:
        db.execute("UPDATE jobs SET message = ?", (waiting_for(identity),))
    assert [job.id for job in queue.in_turn()] == [identity]


def test_one_record_that_cannot_be_removed_keeps_no_other(monkeypatch: pytest.MonkeyPatch):
    ids = [record("completed") for _ in range(3)]
    put_away = quota.put_away

    def stuck(folder: Path) -> None:
        if folder.name == ids[0]:
            raise quota.Stuck("Operation not permitted")
        put_away(folder)

    monkeypatch.setattr(quota, "put_away", stuck)
    assert [one.job.id for one in quota.prune(0)] == ids[1:]
    assert queue.get(ids[0]).message == ""


def test_a_pin_that_is_set_while_the_house_is_cleaned_counts(monkeypatch: pytest.MonkeyPatch):
    ids = [record("completed") for _ in range(2)]
    seen = quota.kept()
    quota.pin(ids[0])
    monkeypatch.setattr(quota, "kept", lambda: seen)
    assert [one.job.id for one in quota.prune(0)] == ids[1:]
    assert queue.get(ids[0]).message == ""


def damaged(told: list[dict[str, Any]], how: str) -> list[dict[str, Any]]:
    if how == "an end without a status":
        return [*told[:-1], {key: told[-1][key] for key in told[-1] if key != "status"}]
    return [event for event in told if event.get("round") != 2 or event["event"] != "round"]


@pytest.mark.parametrize("how", ["an end without a status", "a round missing"])
def test_a_finished_run_with_something_missing_is_trained_again(runs_dir: Path, how: str):
    told, folder = events({"rounds": 3, "attack": None}), runs_dir / "jobs" / "a"
    for part, expected in ((told, True), (damaged(told, how), False)):
        quota.put_away(folder)
        folder.mkdir(parents=True)
        Recorder(folder, DRAFT.runs(False)[:1]).close()
        with sqlite3.connect(folder / "events.sqlite") as db:
            rows = [(0, 1.0, json.dumps(event)) for event in part]
            db.executemany("INSERT INTO events (run, at, body) VALUES (?, ?, ?)", rows)
        run_cache.note("key", "a", 0)
        assert (run_cache.find("key") is not None) is expected


def test_a_locked_queue_is_called_locked_and_nobody_is_told_to_move_it(monkeypatch: pytest.MonkeyPatch):
    queue.add("run", {"draft": {}})
    monkeypatch.setattr(database, "_busy", [0.1])
    with sqlite3.connect(queue.queue_path(), isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageFailed, match="kept locked by another program") as caught:
            queue.add("run", {"draft": {}})
        other.execute("ROLLBACK")
    assert "move" not in str(caught.value)


def test_a_file_that_goes_while_it_is_opened_is_no_damaged_one(tmp_path: Path):
    assert database._read_only(tmp_path / "gone.sqlite") is None


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
    assert progress.seconds_left(6) is None, "nothing was trained here yet"
    recorder.close()


def test_a_clock_that_was_set_back_tells_no_pace():
    pace = Pace()
    for at, done in ((100.0, 1), (40.0, 2)):
        pace.note(at, done)
    assert pace.seconds_left(9) is None


def test_a_worker_without_patience_takes_a_turn_and_a_machine_is_measured_once(
    monkeypatch: pytest.MonkeyPatch,
):
    turns, measured = [], []

    def measure() -> bool:
        measured.append(1)
        return True

    monkeypatch.setattr(worker, "_turn", lambda *_: turns.append(1))
    monkeypatch.setattr(worker, "_measure", measure)
    monkeypatch.setattr(worker, "QUIET_SECONDS", 0.0)
    monkeypatch.setenv("EPSILON_WORKER_IDLE_SECONDS", "0")
    worker._work()
    assert turns
    monkeypatch.setenv("EPSILON_WORKER_IDLE_SECONDS", "0.3")
    measured.clear()
    began = time.monotonic()
    worker._work()
    assert time.monotonic() - began < within(5)
    assert measured == [1]


def test_a_secret_in_another_encoding_is_one_that_nobody_types(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_TEACHER", "gehei\udcdf")
    assert not is_teacher("geheiß")
    assert not is_teacher("\ud800")


NONSENSE: list[dict[str, Any]] = [
    {"draft": {"base": {"rounds": float("inf"), "name": "x"}}},
    {"ladder": 5},
    {"ladder": {"epsilons": [1.0]}},
]


@pytest.mark.parametrize("request_", NONSENSE, ids=str)
def test_a_request_that_is_nonsense_is_told_without_a_traceback(request_: dict[str, Any]):
    identity = queue.add("attack" if "ladder" in request_ else "run", request_)
    queue.cancel(identity)
    folder = queue.get(identity).folder
    Recorder(folder, DRAFT.runs(False)[:1]).close()
    with sqlite3.connect(folder / "events.sqlite") as db:
        db.execute("INSERT INTO events (run, at, body) VALUES (0, 1.0, ?)", ('{"event": "round"}',))
    assert jobs.status(identity)["status"] == "cancelled"
    assert [one.job.id for one in listing.listed()] == [identity]
