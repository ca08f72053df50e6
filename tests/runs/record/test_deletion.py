"""Removing records and having them back: two at the same moment, pins, a disk or a queue that refuses."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from ldp_core.errors import DiskFull, NotNow, NotYours, StorageFailed, UnknownJob
from ldp_core.experiment import parse_draft
from ldp_core.runs import jobs, queue
from ldp_core.runs.queue.permissions import Person
from ldp_core.runs.record import computations, deletion, quota
from ldp_core.runs.storage import disk_space
from tests.runs.record.test_quota import file_of, record

pytestmark = pytest.mark.usefixtures("runs_dir")


def test_a_record_that_is_pinned_at_the_last_moment_is_not_deleted(monkeypatch: pytest.MonkeyPatch):
    identity, delete = record("completed"), queue.delete

    def late(*given: Any, **more: Any) -> bool:
        jobs.pin(identity)
        return delete(*given, **more)

    monkeypatch.setattr(queue, "delete", late)
    with pytest.raises(NotNow, match="is pinned; unpin it"):
        jobs.delete(identity, for_good=True)
    assert queue.get(identity).pinned and file_of(identity).exists()


def test_what_still_trains_is_pinned_with_what_it_will_take(monkeypatch: pytest.MonkeyPatch):
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


def test_what_is_written_is_not_removed():
    """A worker was killed, and the process that trains goes on for a moment."""
    identity = record("interrupted")
    file = file_of(identity)
    with computations.hold(file.stem) or pytest.fail("another process holds the lock"):
        jobs.delete(identity, for_good=True)
        assert file.exists()
    deletion.sweep()
    assert not file.exists()


def test_where_nothing_can_be_noted_nothing_is_removed(monkeypatch: pytest.MonkeyPatch):
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


def test_what_was_noted_by_somebody_who_was_killed_is_finished_and_nothing_else_goes():
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


def test_one_comes_back_as_it_was_and_is_in_no_list_until_then():
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


def test_after_a_while_it_is_gone_for_good(monkeypatch: pytest.MonkeyPatch, runs_dir: Path):
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


def test_on_a_tight_or_full_disk_it_goes_at_once(monkeypatch: pytest.MonkeyPatch, runs_dir: Path):
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


def test_a_death_at_any_moment_of_it_loses_nothing(monkeypatch: pytest.MonkeyPatch):
    """The row says first what goes, and nothing else goes."""
    ids = [record("completed") for _ in range(2)]
    files = [*map(file_of, ids)]
    for number, (module, step) in enumerate(((queue, "forget"), (computations, "sweep"))):
        with monkeypatch.context() as dead, pytest.raises(KeyboardInterrupt):
            dead.setattr(module, step, Mock(side_effect=KeyboardInterrupt))
            jobs.delete(ids[number], for_good=True)
        assert all(file.exists() for file in files[number:])
        deletion.sweep()
        assert not files[number].exists()
