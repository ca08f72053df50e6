"""What is told of a job is so now, whoever asks and by whatever list."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_core.errors import StorageFailed
from ldp_core.runs import jobs, queue
from ldp_core.runs.jobs import lookup
from ldp_core.runs.queue import ownerless
from ldp_core.runs.queue.job import waiting_for
from ldp_core.system import process_identity

pytestmark = pytest.mark.usefixtures("runs_dir")


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Filled whenever a worker is asked for; none is started."""
    asked: list[bool] = []
    monkeypatch.setattr(lookup, "ensure_worker", asked.append)
    return asked


def test_whoever_looks_at_a_list_finds_a_worker_for_what_waits(woken: list[bool]):
    """The worker was killed, and nobody looks at the job itself."""
    identity = queue.add("run", {}, owner="anna")
    jobs.recent(owner="somebody else")
    assert len(woken) == 1
    queue.cancel(identity)
    jobs.recent()
    assert len(woken) == 1, "nothing waits any more"


def test_a_job_waits_for_another_one_as_long_as_that_lives(woken: list[bool]):
    other, identity = queue.add("run", {}), queue.add("run", {})
    assert queue.claim()
    assert queue.claim()
    assert queue.move(identity, "queued", waits_for=other)
    assert jobs.look(identity).message == jobs.status(identity)["message"] == waiting_for(other)
    assert jobs.shown_by(jobs.look(identity)).id == other, "which trains what this one asks for"
    assert queue.move(other, "completed")
    assert jobs.look(identity).message == jobs.status(identity)["message"] == ""
    assert jobs.shown_by(jobs.look(identity)).id == other, "until it is told so itself, in a moment"


def test_who_waits_for_one_that_was_stopped_or_trains_more_than_that_shows_its_own_record(
    woken: list[bool],
):
    other, same = queue.add("run", {}), queue.add("run", {})
    more = queue.add("run", {"rounds": 3})
    for _ in range(3):
        assert queue.claim()
    for identity in (same, more):
        assert queue.move(identity, "queued", waits_for=other)
    assert [jobs.shown_by(jobs.look(one)).id for one in (other, same, more)] == [other, other, more]
    assert queue.move(other, "failed")
    assert jobs.shown_by(jobs.look(same)).id == same


def test_what_cannot_be_noted_as_lost_is_told_all_the_same(
    woken: list[bool], monkeypatch: pytest.MonkeyPatch, runs_dir: Path
):
    """tests/runs/small_disk.py does so on a disk that is full."""
    identity = queue.add("run", {})
    job = queue.claim()
    assert job is not None
    monkeypatch.setattr(process_identity, "is_alive", lambda *_: False)

    def cannot(*_: object) -> bool:
        raise StorageFailed("studio.sqlite cannot be written")

    monkeypatch.setattr(ownerless, "_interrupt", cannot)
    for seen in (jobs.look(identity), *jobs.recent()):
        assert seen.status == "interrupted"
        assert "nothing can be noted on the disk now" in seen.message
