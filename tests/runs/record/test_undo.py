"""What was deleted comes back as it was, for a while; it counts for what it takes, and goes first."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from ldp_core.errors import DiskFull, NotNow, NotYours, UnknownJob
from ldp_core.runs import jobs, queue
from ldp_core.runs.jobs import lookup
from ldp_core.runs.queue.people import Person
from ldp_core.runs.record import quota, removal, shelf
from ldp_core.runs.storage import disk_space
from tests.pace import of_cpu
from tests.runs.queue.test_long_requests import request
from tests.runs.record.test_quota import record

pytestmark = pytest.mark.usefixtures("runs_dir")


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    now = time.time() + seconds
    monkeypatch.setattr(time, "time", lambda: now)


def test_one_comes_back_as_it_was_and_is_in_no_list_until_then():
    older, identity = record("completed"), record("interrupted")
    jobs.relabel(identity, "mine", "a note")
    was, text = queue.get(identity), (queue.get(identity).folder / "events.sqlite").read_bytes()
    jobs.delete(identity)
    assert [job.id for job in jobs.recent()] == [older]
    assert [one.job for one in jobs.deleted()] == [was]
    assert not was.folder.exists()
    with pytest.raises(UnknownJob):
        jobs.look(identity)
    jobs.bring_back(identity)
    assert queue.find() == [was, queue.get(older)]
    assert (was.folder / "events.sqlite").read_bytes() == text
    assert shelf.labels()[identity] == shelf.Label("mine", "a note")
    assert jobs.deleted() == []
    with pytest.raises(UnknownJob):
        jobs.bring_back(identity)


def test_a_long_request_comes_back_whole_and_no_list_reads_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lookup, "ensure_worker", lambda *_: None)
    identity = queue.add("run", request(1))
    queue.cancel(identity)
    jobs.delete(identity)
    with of_cpu(0.1):
        (one,) = jobs.deleted()
        assert one.job.long
        assert one.job.brief["draft"]["base"]["name"] == "many"
    jobs.bring_back(identity)
    assert queue.get(identity).request == request(1)


def test_it_is_for_its_owner_and_a_pin_or_a_run_keeps_it():
    identity = queue.add("run", {}, owner="a" * 16)
    with pytest.raises(NotNow, match="is queued; stop it before"):
        jobs.delete(identity)
    queue.cancel(identity)
    quota.pin(identity)
    with pytest.raises(NotNow, match="is pinned"):
        jobs.delete(identity)
    quota.pin(identity, on=False)
    with pytest.raises(NotYours, match="can delete it"):
        jobs.delete(identity, Person("b" * 16))
    jobs.delete(identity, Person("a" * 16))
    assert jobs.deleted(Person("b" * 16)) == []
    with pytest.raises(NotYours, match="can bring it back"):
        jobs.bring_back(identity, Person("b" * 16))
    jobs.bring_back(identity, Person("a" * 16))
    assert queue.get(identity).owner == "a" * 16


def test_after_a_while_it_is_gone_for_good(monkeypatch: pytest.MonkeyPatch, runs_dir: Path):
    identity = record("completed")
    jobs.relabel(identity, "mine", "")
    jobs.delete(identity)
    later(monkeypatch, removal.UNDO_SECONDS - 10)
    assert removal.sweep() == []
    later(monkeypatch, 20)
    assert jobs.deleted() == []
    assert list((runs_dir / "jobs").iterdir()) == []
    assert shelf.labels() == {}
    with pytest.raises(UnknownJob):
        jobs.bring_back(identity)


def test_it_counts_and_goes_first_where_room_is_short():
    older, identity = record("completed"), record("completed")
    jobs.delete(identity)
    assert quota.taken() == 2000
    assert [(one.job.id, one.deleted) for one in quota.prune(1500)] == [(identity, True)]
    assert quota.taken() == 1000
    assert [job.id for job in queue.find()] == [older]
    assert jobs.deleted() == []


def test_on_a_tight_or_full_disk_it_goes_at_once(monkeypatch: pytest.MonkeyPatch, runs_dir: Path):
    tight, full = record("completed"), record("completed")
    with monkeypatch.context() as less:
        less.setattr(disk_space, "_free", lambda: disk_space.SPARE - 1)
        jobs.delete(tight)
    assert jobs.deleted() == []

    def no_room(*_: Any) -> bool:
        raise DiskFull

    monkeypatch.setattr(queue, "put_aside", no_room)
    jobs.delete(full)
    assert queue.find() == []
    assert [one for one in (runs_dir / "jobs").iterdir() if one.is_dir()] == []


def test_whoever_has_its_id_or_its_place_meanwhile_keeps_it():
    identity, other = record("interrupted"), record("interrupted")
    jobs.delete(other)
    assert queue.requeue(identity)  # takes the place of the last one
    queue.cancel(identity)
    jobs.bring_back(other)
    assert [job.id for job in queue.find()] == [other, identity]
    jobs.delete(other)
    arriving = queue.get(identity).folder.parent / ".arriving"
    arriving.mkdir()
    queue.arrive(other, "run", {}, "completed", "", (1.0, 1.0, 1.0), None, arriving)
    with pytest.raises(NotNow, match="is here again already"):
        jobs.bring_back(other)
    assert queue.get(other).status == "completed"


def test_a_death_between_the_folder_and_the_note_loses_nothing(monkeypatch: pytest.MonkeyPatch):
    kept, aside = record("completed"), record("completed")
    folder = queue.get(kept).folder
    removal.put_away(folder, f"{kept}.abcdef{removal.DELETED}")  # and then the lights went out
    jobs.delete(aside)
    assert folder.is_dir(), "the queue knows nothing of it: it is back"

    def refused(identity: str, first: Any) -> None:
        first(queue.aside()[0].away)
        raise DiskFull

    with monkeypatch.context() as full, pytest.raises(DiskFull):
        full.setattr(queue, "bring_back", refused)
        jobs.bring_back(aside)
    assert quota.taken() == 2000
    jobs.bring_back(aside)
    assert queue.get(aside).folder.is_dir()
