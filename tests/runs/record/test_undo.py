"""What was deleted comes back as it was, for a while; it counts for what it takes, and goes first."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from ldp_core.errors import DiskFull, NotYours, UnknownJob
from ldp_core.runs import jobs, queue
from ldp_core.runs.queue.people import Person
from ldp_core.runs.record import computations, quota, removal
from ldp_core.runs.storage import disk_space
from tests.runs.record.test_quota import file_of, record

pytestmark = pytest.mark.usefixtures("runs_dir")


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    now = time.time() + seconds
    monkeypatch.setattr(time, "time", lambda: now)


def test_one_comes_back_as_it_was_and_is_in_no_list_until_then():
    older, identity = record("completed"), record("interrupted")
    jobs.relabel(identity, "mine", "a note")
    was, text = queue.get(identity), file_of(identity).read_bytes()
    jobs.delete(identity)
    assert [job.id for job in jobs.recent()] == [older]
    assert [job.id for job in jobs.deleted()] == [identity]
    with pytest.raises(UnknownJob):
        jobs.look(identity)
    assert jobs.deleted(Person("b" * 16)) == []
    with pytest.raises(NotYours, match="can bring it back"):
        jobs.bring_back(identity, Person("b" * 16))
    jobs.bring_back(identity)
    assert queue.find() == [was, queue.get(older)]
    assert file_of(identity).read_bytes() == text
    assert (queue.get(identity).name, queue.get(identity).note) == ("mine", "a note")
    assert jobs.deleted() == []
    with pytest.raises(UnknownJob):
        jobs.bring_back(identity)


def test_after_a_while_it_is_gone_for_good(monkeypatch: pytest.MonkeyPatch, runs_dir: Path):
    identity = record("completed")
    jobs.relabel(identity, "mine", "")
    jobs.delete(identity)
    later(monkeypatch, removal.UNDO_SECONDS - 10)
    assert removal.sweep() == []
    later(monkeypatch, 20)
    assert jobs.deleted() == []
    assert removal.sweep() == [identity]
    assert list((runs_dir / "computed").iterdir()) == []
    with pytest.raises(UnknownJob):
        jobs.bring_back(identity)


def test_it_counts_and_goes_first_where_room_is_short():
    older, identity = record("completed"), record("completed")
    jobs.delete(identity)
    assert quota.taken() == 2000
    assert [one.job.id for one in quota.prune(1500)] == [identity]
    assert quota.taken() == 1000
    assert [job.id for job in queue.find()] == [older]
    assert jobs.deleted() == []


def test_on_a_tight_or_full_disk_it_goes_at_once(monkeypatch: pytest.MonkeyPatch, runs_dir: Path):
    tight, full = record("completed"), record("completed")
    with monkeypatch.context() as less:
        less.setattr(disk_space, "_free", lambda: disk_space.SPARE - 1)
        jobs.delete(queue.get(tight).id)
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
    kept, going = record("completed"), record("completed")
    file, other = file_of(going), file_of(kept)
    for step in ("forget", "sweep"):
        with monkeypatch.context() as dead, pytest.raises(KeyboardInterrupt):
            dead.setattr(queue if step == "forget" else computations, step, stop)
            jobs.remove(going if step == "forget" else kept)
        assert other.exists()
        if step == "forget":
            assert file.exists()
            assert removal.sweep() == [going]
            assert not file.exists()
    removal.sweep()
    assert not other.exists()


def stop(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt
