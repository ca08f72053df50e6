"""The queue on a real database: only legal transitions, one owner, order of arrival."""

import time
from pathlib import Path
from typing import Any

import pytest

from ldp_core.errors import StorageFailed
from ldp_core.runs import queue
from ldp_core.runs.queue import claiming, table
from ldp_core.runs.queue.job import Status
from ldp_core.runs.storage.locks_and_heartbeats import Held
from tests.runs.processes import at_once, stand_in

pytestmark = pytest.mark.usefixtures("runs_dir")


def put(status: Status) -> str:
    identity = queue.add("run", {"draft": {}})
    queue.update(identity, status=status)
    return identity


def test_jobs_are_claimed_in_order_of_arrival_and_once():
    ids = [queue.add("run", {}) for _ in range(5)]
    assert [queue.places()[i] for i in ids] == [0, 1, 2, 3, 4]
    claimed = at_once(8, queue.claim)
    assert sorted(job.id for job in claimed if job) == sorted(ids)
    assert all(queue.get(i).status == "running" for i in ids)


def test_jobs_are_interrupted_once_their_worker_died(
    runs_dir: Path,
):
    first, second, waiting = (queue.add("run", {}) for _ in range(3))
    with stand_in(runs_dir):
        assert queue.claim() and queue.claim()
        now = time.time()
        for hours in (0, -1, 1):  # no clock counts: a user may set it
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(time, "time", lambda hours=hours: now + 3600 * hours)
                assert queue.reap() == []
        assert queue.reap([first], queue.LOST) == [second]
    assert queue.reap() == [first]
    assert [queue.get(one).status for one in (first, second, waiting)] == [*["interrupted"] * 2, "queued"]
    assert "stopped from outside" in queue.get(first).message
    assert "lost sight of" in queue.get(second).message


@pytest.mark.parametrize("damage", ["abc", -1, None, 1.5, b""], ids=str)
def test_damaged_row_does_not_block_others(damage: Any):
    damaged, mine = queue.add("run", {}), queue.add("run", {})
    assert queue.claim()
    queue.update(damaged, started=damage, pid=damage)
    assert queue.get(damaged).id == damaged
    assert queue.reap() == [damaged]
    assert [job.id for job in queue.in_turn()] == [mine]


def test_late_worker_keeps_its_claimed_job(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    identity, held, change = queue.add("run", {"draft": {}}), list[Held](), table.changing
    assert queue.claim()

    def late() -> Any:
        monkeypatch.setattr(claiming, "changing", change)
        queue.move(identity, "interrupted")
        assert queue.requeue(identity)
        held.append(stand_in(runs_dir))
        assert queue.claim()
        return change()

    monkeypatch.setattr(claiming, "changing", late)
    assert queue.reap() == []
    assert queue.get(identity).status == "running"
    held[0].close()


def test_a_file_of_another_format_is_named_and_left_alone():
    queue.add("run", {})
    with table.changing() as db:
        db.execute("PRAGMA user_version = 2")
    before = queue.queue_path().read_bytes()
    for use in (queue.find, lambda: queue.add("run", {})):
        with pytest.raises(StorageFailed, match=r"studio.sqlite .* is of format 2, and this program reads 1"):
            use()
    assert queue.queue_path().read_bytes() == before
