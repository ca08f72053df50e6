"""Removing records and having them back, by hand and for want of room: two at the same moment, pins, a disk
or a queue that refuses; the oldest go first, what is pinned or alive stays.
"""

import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ldp_core.errors import DiskFull, NotNow, NotYours, StorageFailed, UnknownJob
from ldp_core.experiment import parse_draft
from ldp_core.runs import jobs, queue
from ldp_core.runs.kinds import base
from ldp_core.runs.process import training
from ldp_core.runs.queue.job import Status
from ldp_core.runs.queue.permissions import Person
from ldp_core.runs.record import checkpoints, computations, deletion, quota
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.runs.record.computations import Computation, database, key_of
from ldp_core.runs.record.events import refuse_damaged
from ldp_core.runs.storage import disk_space
from ldp_core.runs.view.run_curves import progress_of
from tests.runs.in_process import compute, queued

pytestmark = pytest.mark.usefixtures("runs_dir")


def test_record_pinned_at_the_last_moment_is_kept(monkeypatch: pytest.MonkeyPatch):
    identity, delete = record("completed"), queue.delete

    def late(*given: Any, **more: Any) -> bool:
        jobs.pin(identity)
        return delete(*given, **more)

    monkeypatch.setattr(queue, "delete", late)
    with pytest.raises(NotNow, match="is pinned; unpin it"):
        jobs.delete(identity, for_good=True)
    assert queue.get(identity).pinned and file_of(identity).exists()


def test_pin_of_a_training_job_counts_its_estimate(monkeypatch: pytest.MonkeyPatch):
    long = parse_draft({"rounds": 9000})
    identity = queue.add("run", {"draft": long.as_json()}, owner="anna")
    monkeypatch.setenv("EPSILON_QUOTA_GB", "0.01")
    with pytest.raises(NotNow, match=r"this one \d\d+.\d MB, and visitors may keep 5.0 MB pinned"):
        jobs.pin(identity, Person("anna"))
    assert not queue.get(identity).pinned
    monkeypatch.setenv("EPSILON_QUOTA_GB", "5")
    jobs.pin(identity, Person("anna"))
    assert queue.get(identity).pinned


def test_a_file_that_cannot_be_removed_is_tried_again(monkeypatch: pytest.MonkeyPatch):
    identity, other = record("completed"), record("completed")
    stuck, unlink = file_of(identity), Path.unlink

    def refused(path: Path, missing_ok: bool = False) -> None:
        if path == stuck:
            raise PermissionError(13, "Permission denied")
        unlink(path, missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refused)
        assert {one.job.id for one in quota.prune(0)} == {identity, other}, "it keeps no other"
        assert stuck.exists()
    deletion.sweep()
    assert not stuck.exists()


def test_record_being_written_is_not_removed():
    """A worker was killed, and the process that trains goes on for a moment."""
    identity = record("interrupted")
    file = file_of(identity)
    with computations.hold(file.stem) or pytest.fail("another process holds the lock"):
        jobs.delete(identity, for_good=True)
        assert file.exists()
    deletion.sweep()
    assert not file.exists()


def test_locked_queue_prevents_removal(monkeypatch: pytest.MonkeyPatch):
    """Another process reads the queue for as long as one may wait, in a backup or a database browser."""
    ids = [record("completed") for _ in range(3)]
    monkeypatch.setattr("ldp_core.runs.storage.database._busy", [0.1])
    with closing(sqlite3.connect(queue.queue_path(), isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM jobs").fetchone()
        for remove in (lambda: quota.prune(0), lambda: jobs.delete(ids[2], for_good=True)):
            with pytest.raises(StorageFailed, match="locked"):
                remove()
    assert deletion.sweep() == []
    assert [one.job.id for one in quota.kept()] == ids[::-1]
    assert {queue.get(identity).message for identity in ids} == {""}


def test_noted_removal_is_finished_after_a_kill():
    kept, noted, nobodys = (record("completed") for _ in range(3))
    going, lost = file_of(noted), file_of(nobodys)
    queue.note_removed(noted)  # and then the lights went out
    with queue.table.changing() as db:  # the database was lost
        db.execute("DELETE FROM jobs WHERE id = ?", (nobodys,))
        db.execute("DELETE FROM computations WHERE key = ?", (lost.stem,))
    deletion.sweep()
    assert (going.exists(), lost.exists()) == (False, True)
    assert [one.job.id for one in quota.kept()] == [kept]


@pytest.mark.parametrize("saved", [jobs.pin, queue.requeue])
def test_a_pin_that_is_set_while_the_house_is_cleaned_counts(
    saved: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
):
    """So does a job that is taken up meanwhile."""
    ids = [record("interrupted") for _ in range(2)]
    seen = queue.find()
    saved(ids[0])
    monkeypatch.setattr(queue, "find", lambda **_: seen)
    assert [one.job.id for one in quota.prune(0)] == ids[1:]
    assert file_of(ids[0]).exists() and not queue.get(ids[0]).message


def test_undone_deletion_restores_the_job():
    older, identity = record("completed"), record("interrupted")
    jobs.relabel(identity, "mine", "a note")
    was, text = queue.get(identity), file_of(identity).read_bytes()
    jobs.delete(identity)
    assert [job.id for job in jobs.recent()] == [older]
    assert [job.id for job in jobs.deleted()] == [identity]
    assert jobs.deleted(Person("b" * 16)) == []
    with pytest.raises(NotYours, match="can bring it back"):
        jobs.undo_delete(identity, Person("b" * 16))
    with pytest.raises(UnknownJob):
        jobs.look(identity)
    jobs.undo_delete(identity)
    assert queue.find() == [was, queue.get(older)]
    assert file_of(identity).read_bytes() == text
    assert jobs.deleted() == []


def test_deleted_job_is_gone_after_the_undo_time(monkeypatch: pytest.MonkeyPatch, runs_dir: Path):
    identity = record("completed")
    jobs.delete(identity)
    now = time.time() + deletion.UNDO_SECONDS - 10
    monkeypatch.setattr(time, "time", lambda: now)
    assert deletion.sweep() == []
    now += 20
    assert jobs.deleted() == []
    assert deletion.sweep() == [identity]
    assert [*(runs_dir / "computed").iterdir()] == []
    with pytest.raises(UnknownJob):
        jobs.undo_delete(identity)


def test_deletion_on_a_full_disk_is_immediate(monkeypatch: pytest.MonkeyPatch, runs_dir: Path):
    tight, full = record("completed"), record("completed")
    with monkeypatch.context() as less:
        less.setattr(disk_space, "_free", lambda: disk_space.SPARE - 1)
        jobs.delete(tight)
    assert jobs.deleted() == []
    delete, tries = queue.delete, list[float | None]()

    def no_room(identity: str, at: float | None = None) -> bool:
        """Until the record itself has made some."""
        tries.append(at)
        if file.exists():
            raise DiskFull
        return delete(identity, at)

    file = file_of(full)
    monkeypatch.setattr(queue, "delete", no_room)
    jobs.delete(full)
    assert len(tries) == 4
    assert queue.find() == []
    assert [*(runs_dir / "computed").iterdir()] == []


def record(status: Status, size: int = 1000, owner: str | None = None) -> str:
    identity = queue.add("run", {"draft": {"base": {"rounds": 1}}}, owner=owner)
    if status != "queued":
        queue.move(identity, "running")
    if status not in ("queued", "running"):
        assert queue.move(identity, status)
    one = Computation(key_of("run", identity, ""), "run", "{}")
    computations.note_begun([one])
    queue.update(identity, keys=[one.key])
    database(one.key).parent.mkdir(parents=True, exist_ok=True)
    database(one.key).write_bytes(b"x" * size)
    return identity


def file_of(identity: str) -> Path:
    return database(queue.get(identity).keys[0])


def test_the_oldest_go_first_and_leave_a_note():
    ids = [record("completed") for _ in range(5)]
    jobs.pin(ids[0])
    alive = record("running")
    files = {identity: file_of(identity) for identity in ids}
    removed = quota.prune(3500)
    assert [one.job.id for one in removed] == ids[1:4]
    for identity in ids[1:4]:
        assert not files[identity].exists()
        assert "removed to make room" in queue.get(identity).message
        with pytest.raises(NotNow, match="was removed to make room; there is nothing to pin"):
            jobs.pin(identity)
        jobs.pin(identity, on=False)
    assert {one.job.id for one in quota.kept()} == {ids[0], ids[4], alive}
    assert quota.prune(10**9) == []
    jobs.pin(ids[0], on=False)
    assert [one.job.id for one in quota.prune(0)] == [ids[0], ids[4]]


def test_shared_record_counts_once_and_goes_last():
    first, other, second = (record("completed") for _ in range(3))
    queue.update(second, keys=[*queue.get(first).keys])
    computations.sweep()
    assert quota.taken() == 2000
    assert {one.job.id: one.size for one in quota.kept()} == {first: 1000, other: 1000, second: 0}
    shared = file_of(first)
    jobs.delete(first, for_good=True)
    assert shared.exists()
    assert [one.job.id for one in quota.prune(1000)] == [other]
    assert shared.exists()
    assert [one.job.id for one in quota.prune(0)] == [second]
    assert not shared.exists()


def test_pruning_skips_records_shared_with_pinned_jobs():
    first, second, own = (record("completed") for _ in range(3))
    queue.update(first, keys=[*queue.get(second).keys])
    jobs.pin(second)
    assert [one.job.id for one in quota.prune(1000)] == [own]
    assert not queue.get(first).removed


def test_pruning_removes_orphaned_files_first():
    """Of no job, as after a table was lost; moved aside; deleted. What is no record stays."""
    older, damaged, deleted = (record("completed") for _ in range(3))
    lost = database("0" * 16)
    for file in (lost, lost.with_name("other.sqlite")):
        file.write_bytes(b"x" * 1000)
    checkpoints.move_aside(queue.get(damaged).keys[0])
    jobs.delete(deleted)
    assert (quota.taken(), quota.prune(5000)) == (5000, [])
    assert (quota.prune(4000), lost.exists()) == ([], False)
    assert (quota.prune(3000), quota.taken()) == ([], 3000)
    assert [one.job.id for one in quota.prune(2000)] == [deleted]
    assert jobs.deleted() == []
    assert file_of(older).exists() and lost.with_name("other.sqlite").exists()
    checkpoints.move_aside(queue.get(older).keys[0])
    jobs.delete(older, for_good=True)
    assert quota.taken() == 1000, "what was moved aside goes with the last job of its key"


def test_full_disk_ends_a_run_and_keeps_its_rounds(monkeypatch: pytest.MonkeyPatch):
    """SQLite itself is told that there is no more room."""
    job, limits = queued(parse_draft({"rounds": 30})), list[int]()

    class Small(Recorder):
        def flush(self) -> None:
            super().flush()
            self._pause = 0.0  # each turn by itself
            begun = any(event["event"] == "round" for event in self.recorded())
            if begun and not limits:  # whatever the first rounds took, there is room for little more
                limits.append(self._db.execute("PRAGMA page_count").fetchone()[0] + 4)
                self._db.execute(f"PRAGMA max_page_count = {limits[0]}")

    with monkeypatch.context() as patch:
        patch.setattr(signal, "signal", lambda *_: None)
        patch.setattr(checkpoints, "FLUSH_SECONDS", 0.0)
        patch.setattr(base, "Recorder", Small)
        outcome = training.train_job(job, 10**9)
    assert "the disk is full" in outcome.message and "Traceback" not in outcome.message
    refuse_damaged(job.keys[0])
    before = progress_of(job).update().rounds_done()
    assert 0 < before < 30
    assert compute(job).status == "completed"
    assert progress_of(job).update().runs[0].round == 30
