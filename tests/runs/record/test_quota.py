"""A clean house: the oldest records go first, what is pinned or alive stays, and a full disk is named."""

import signal
from pathlib import Path

import pytest

from ldp_core.errors import NotNow
from ldp_core.experiment import parse_draft
from ldp_core.runs import jobs, queue
from ldp_core.runs.kinds import base
from ldp_core.runs.process import training
from ldp_core.runs.queue.job import Status
from ldp_core.runs.record import checkpoints, computations, quota
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.runs.record.computations import IMPORTED, Computation, database, key_of
from ldp_core.runs.record.events import refuse_damaged
from ldp_core.runs.view.run_curves import progress_of
from tests.runs.in_process import compute, queued

pytestmark = pytest.mark.usefixtures("runs_dir")


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


def test_what_several_jobs_name_counts_once_and_goes_with_the_last_of_them():
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


def test_nothing_goes_that_makes_no_room_because_what_stays_names_the_same():
    first, second, own = (record("completed") for _ in range(3))
    queue.update(first, keys=[*queue.get(second).keys])
    jobs.pin(second)
    assert [one.job.id for one in quota.prune(1000)] == [own]
    assert not queue.get(first).removed


def test_what_goes_before_the_oldest_job():
    """Of no job, as after a table was lost; moved aside; deleted; from outside. What is no record stays."""
    older, damaged, deleted = (record("completed") for _ in range(3))
    came, lost = Computation(f"{IMPORTED}{'0' * 16}", "run", "{}"), database("0" * 16)
    computations.note_begun([came])
    arrived = queue.arrive({}, [came.key], kind="run", status="completed")
    for file in (database(came.key), lost, lost.with_name("other.sqlite")):
        file.write_bytes(b"x" * 1000)
    checkpoints.move_aside(queue.get(damaged).keys[0])
    jobs.delete(deleted)
    assert (quota.taken(), quota.prune(6000)) == (6000, [])
    assert (quota.prune(5000), lost.exists()) == ([], False)
    assert (quota.prune(4000), quota.taken()) == ([], 4000)
    assert [one.job.id for most in (3000, 2000) for one in quota.prune(most)] == [deleted, arrived]
    assert jobs.deleted() == []
    assert file_of(older).exists() and lost.with_name("other.sqlite").exists()
    checkpoints.move_aside(queue.get(older).keys[0])
    jobs.delete(older, for_good=True)
    assert quota.taken() == 1000, "what was moved aside goes with the last job of its key"


def test_a_full_disk_ends_a_run_with_a_sentence_and_keeps_what_was_trained(monkeypatch: pytest.MonkeyPatch):
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
