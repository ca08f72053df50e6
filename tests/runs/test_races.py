"""Two things at the same moment: what people and processes do to a job, in the worst of orders."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ldp_core import presets
from ldp_core.errors import NotNow, StorageFailed
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, queue
from ldp_core.runs.machine.slots import slots
from ldp_core.runs.process import registration, supervisor
from ldp_core.runs.process.training import OUTCOME, train_job
from ldp_core.runs.queue.job import waiting_for
from ldp_core.runs.queue.people import Person
from ldp_core.runs.queue.states import Status
from ldp_core.runs.record import drafts, quota, run_cache
from ldp_core.runs.record.quota import PIN, is_pinned
from ldp_core.runs.record.store import SCHEMA as RECORD
from ldp_core.runs.record.store import Recorder, database
from ldp_core.runs.storage.database import opened
from ldp_core.runs.view import listing
from ldp_core.system import process_group
from tests.runs.record.test_quota import record

pytestmark = pytest.mark.usefixtures("runs_dir")
DRAFT = Draft(parse({"rounds": 2, "attack": None, "mechanism": "none"}), (Variant("run"),))
ANNA = Person("a" * 16)


def test_a_stop_that_comes_while_a_job_begins_to_wait_for_another_one_stops_it(
    monkeypatch: pytest.MonkeyPatch,
):
    """Its process ended because it waits; between the look at its state and the word of it came the stop."""
    identity = queue.add("run", {"draft": {}})
    job, asked = queue.claim(), queue.status
    assert job is not None
    monkeypatch.setattr(supervisor, "train_process", os._exit)
    one = supervisor.Watched(job, slots()[0])
    one._process.join()
    job.folder.mkdir(parents=True)
    outcome = {"status": "queued", "message": waiting_for("0" * 12)}
    (job.folder / OUTCOME).write_text(json.dumps(outcome))

    def then_stop(of: str) -> Status | None:
        found = asked(of)
        queue.cancel(of)
        return found

    monkeypatch.setattr(queue, "status", then_stop)
    assert one.step()
    assert queue.get(identity).status == "cancelled"


def test_an_end_that_could_not_be_written_down_is_written_later_and_kills_nobody_again(
    monkeypatch: pytest.MonkeyPatch,
):
    """The number of a process that has been reaped may be another one's by then."""
    identity = queue.add("run", {"draft": {}})
    job, killed, move = queue.claim(), list[int](), queue.move
    assert job is not None
    monkeypatch.setattr(supervisor, "train_process", os._exit)
    one = supervisor.Watched(job, slots()[0])
    one._process.join()
    end = process_group.end

    def counted(process: Any) -> None:
        killed.append(1)
        end(process)

    monkeypatch.setattr(process_group, "end", counted)

    def locked(*_: Any) -> bool:
        monkeypatch.setattr(queue, "move", move)
        raise StorageFailed("queue.sqlite is kept locked by another program")

    monkeypatch.setattr(queue, "move", locked)
    with pytest.raises(StorageFailed):
        one.step()
    assert one.step()
    assert killed == [1]
    assert queue.get(identity).status == "failed"


def test_a_record_that_is_pinned_at_the_last_moment_is_not_deleted(monkeypatch: pytest.MonkeyPatch):
    identity, drop = record("completed"), queue.drop

    def late(*given: Any) -> bool:
        quota.pin(identity)
        return drop(*given)

    monkeypatch.setattr(queue, "drop", late)
    with pytest.raises(NotNow, match="is pinned; unpin it"):
        jobs.remove(identity)
    assert (queue.get(identity).folder / PIN).exists()


def test_a_pin_waits_for_whoever_removes_the_record(monkeypatch: pytest.MonkeyPatch):
    identity = record("completed")
    with queue.held(identity):
        monkeypatch.setattr("ldp_core.runs.storage.database._busy", [0.1])
        with pytest.raises(StorageFailed, match="locked"):
            quota.pin(identity)
    quota.prune(0)
    with pytest.raises(NotNow, match="nothing to pin"):
        quota.pin(identity)
    assert not queue.get(identity).folder.exists()


def test_what_still_trains_is_pinned_with_what_it_will_take(monkeypatch: pytest.MonkeyPatch):
    long = presets.get("two_volunteers").draft.with_base({"rounds": 1000})
    identity = queue.add("run", {"draft": long.as_json()}, owner=ANNA.owner)
    monkeypatch.setenv("EPSILON_QUOTA_GB", "0.01")
    with pytest.raises(NotNow, match=r"this one \d\d+.\d MB, and visitors may keep 5.0 MB pinned"):
        jobs.pin(identity, ANNA)
    assert not is_pinned(queue.get(identity))
    monkeypatch.setenv("EPSILON_QUOTA_GB", "5")
    jobs.pin(identity, ANNA)
    assert is_pinned(queue.get(identity))


def test_two_undos_at_once_leave_the_draft(monkeypatch: pytest.MonkeyPatch):
    identity = drafts.new(DRAFT)
    drafts.update(identity, lambda draft: draft.with_base({"rounds": 5}))
    monkeypatch.setattr(drafts, "can_undo", lambda _: True)  # as both have seen it
    assert [drafts.undo(identity), drafts.undo(identity)] == [True, False]
    assert drafts.load(identity) == DRAFT


def test_a_record_without_runs_is_not_called_damaged():
    """Its process was killed after the tables were made, and before it was told what to train."""
    identity = queue.add("run", {"draft": DRAFT.as_json()})
    queue.cancel(identity)
    opened(database(queue.get(identity).folder), RECORD).close()
    (one,) = listing.listed()
    assert not one.damaged
    train_job(one.job.folder, one.job.request, 10**9)
    assert json.loads((one.job.folder / OUTCOME).read_text())["status"] == "completed"


def test_a_folder_that_cannot_be_removed_is_a_sentence(monkeypatch: pytest.MonkeyPatch):
    identity = record("completed")

    def refused(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(StorageFailed, match=r"cannot be removed \(Permission denied\)"):
        jobs.remove(identity)
    assert queue.get(identity).status == "completed"


def test_where_nothing_can_be_noted_nothing_is_removed(monkeypatch: pytest.MonkeyPatch):
    """Somebody reads the queue for as long as one may wait, in a backup or a database browser."""
    ids = [record("completed") for _ in range(3)]
    monkeypatch.setattr("ldp_core.runs.storage.database._busy", [0.1])
    with closing(sqlite3.connect(queue.queue_path(), isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM jobs").fetchone()
        with pytest.raises(StorageFailed, match="locked"):
            quota.prune(0)
        with pytest.raises(StorageFailed, match="locked"):
            jobs.remove(ids[2])
    quota.sweep()
    assert [one.job.id for one in quota.kept()] == ids[::-1]
    assert {queue.get(identity).message for identity in ids} == {""}


def test_a_record_that_was_put_away_by_somebody_who_was_killed_is_brought_back():
    kept, noted, forgotten = (record("completed") for _ in range(3))
    for identity in (kept, noted, forgotten):
        quota.put_away(queue.get(identity).folder)  # and then the lights went out
    queue.strip(noted, quota.REMOVED, lambda: True)
    queue.drop(forgotten, lambda: True)
    assert len(quota.sweep()) == 2
    assert [one.job.id for one in quota.kept()] == [kept]


@pytest.mark.parametrize("said", ['{"pid": -1, "since": 1}', '{"pid": 1e400, "since": "x"}', "[]", "{", ""])
def test_a_register_that_makes_no_sense_is_nobody(runs_dir: Path, said: str):
    runs_dir.mkdir()
    (runs_dir / "worker.json").write_text(said)
    assert not registration.is_registered()
    assert not registration.is_replaced()


def test_what_two_versions_of_the_program_have_trained_is_nobodys_result(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    folder, (run,) = runs_dir / "jobs" / "mixed", DRAFT.runs()
    monkeypatch.setattr(run_cache, "program", lambda: "old")
    recorder = Recorder(folder, [run])
    assert recorder.begun_by("old")
    assert recorder.begun_by("old")
    recorder.close()
    monkeypatch.setattr(run_cache, "program", lambda: "new")
    train_job(folder, {"draft": DRAFT.as_json()}, 10**9)
    assert run_cache.find(run.experiment.key) is None
    train_job(runs_dir / "jobs" / "whole", {"draft": DRAFT.as_json()}, 10**9)
    assert run_cache.find(run.experiment.key) is not None


def test_a_record_of_a_version_that_did_not_say_so_is_mixed(tmp_path: Path):
    recorder = Recorder(tmp_path, DRAFT.runs())
    recorder.close()
    with sqlite3.connect(database(tmp_path)) as db:
        db.execute('INSERT INTO events (run, at, body) VALUES (0, 1.0, \'{"event": "start"}\')')
        db.execute("DROP TABLE programs")
    assert not Recorder(tmp_path, DRAFT.runs()).begun_by("new")
