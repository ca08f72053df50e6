"""The worker's loop: patient while anything runs, and through a queue that cannot be read for a while."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Sequence
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import DEFAULT, Mock

import pytest

from ldp_core.errors import StorageFailed
from ldp_core.runs import queue
from ldp_core.runs.kinds import JobEnd
from ldp_core.runs.process import worker
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import computations
from ldp_core.runs.storage.locks_and_heartbeats import Held
from tests.pace import within
from tests.runs.in_process import compute, queued, take


class Slow:
    """Stands for a job that runs for a while, in place of a process."""

    made: list[Slow] = []

    def __init__(self, job: Job, slot: Any) -> None:
        self.job, self.slot, self.until, self.recorded = job, slot, time.monotonic() + 0.6, ""
        self.makes_room = True
        Slow.made.append(self)

    def step(self) -> bool:
        done = time.monotonic() > self.until
        if done:
            queue.move(self.job.id, "completed", "")
        return done

    def leave(self, end: JobEnd) -> None:
        self.recorded = end.status

    def kill(self) -> None:
        self.recorded = "killed"


@pytest.fixture(autouse=True)
def _quick(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Slow.made = []
    monkeypatch.setattr(worker, "IDLE_SECONDS", 0.2)
    monkeypatch.setattr(worker, "Watched", Slow)
    monkeypatch.setattr(worker, "QUIET_SECONDS", 1e9)


LOCKED = StorageFailed("studio.sqlite cannot be used (database is locked)")


def test_unreadable_queue_does_not_stop_jobs(at_work: Held, monkeypatch: pytest.MonkeyPatch):
    identity = queue.add("run", {"draft": {}})
    sometimes = Mock(wraps=queue.reap, side_effect=chain([DEFAULT], 5 * [LOCKED], repeat(DEFAULT)))
    monkeypatch.setattr(queue, "reap", sometimes)
    worker._work(at_work)
    assert queue.get(identity).status == "completed"
    assert [one.recorded for one in Slow.made] == [""], "though it took longer than a worker waits for a job"


def test_a_worker_that_gives_up_leaves_no_process_behind(at_work: Held, monkeypatch: pytest.MonkeyPatch):
    queue.add("run", {"draft": {}})
    broken = Mock(wraps=queue.reap, side_effect=[DEFAULT, RuntimeError("whatever it is")])
    monkeypatch.setattr(queue, "reap", broken)
    with pytest.raises(RuntimeError):
        worker._work(at_work)
    assert [one.recorded for one in Slow.made] == ["killed"]


@pytest.mark.parametrize(
    ("refusals", "words"), [([], "could not start a process"), ([LOCKED], "could not be started")]
)
def test_unwatched_claimed_job_takes_no_slot(
    refusals: list[Exception], words: str, at_work: Held, monkeypatch: pytest.MonkeyPatch
):
    """Its process could not be started, and nor could that be written down."""
    first, second = queue.add("run", {"draft": {}}), queue.add("run", {"draft": {}})
    full = chain([BlockingIOError(11, "Resource temporarily unavailable")], repeat(DEFAULT))
    monkeypatch.setattr(worker, "Watched", Mock(wraps=Slow, side_effect=full))
    move = Mock(wraps=queue.move, side_effect=chain(refusals, repeat(DEFAULT)))
    monkeypatch.setattr(queue, "move", move)
    worker._work(at_work)
    job = queue.get(first)
    assert (job.status, queue.get(second).status) == ("interrupted", "completed")
    assert words in job.message
    assert queue.requeue(first)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_just_finished_run_takes_no_slot(moment: str, at_work: Held, monkeypatch: pytest.MonkeyPatch):
    """What another job computes ends while it is looked at whether this one can begin."""
    first, second = queued({"rounds": 1, "attack": None}), queued({"rounds": 1, "attack": None})
    assert take(first.id)
    going: Any = [SimpleNamespace(job=first)]
    assert not worker._can_begin(going, second)
    left = computations.left

    def then(keys: Sequence[str]) -> list[str]:
        patch.undo()
        before = left(keys)
        outcome = compute(first)
        assert queue.move(first.id, outcome.status)
        return before if moment == "after" else left(keys)

    with monkeypatch.context() as patch:
        patch.setattr(computations, "left", then)
        assert not worker._can_begin(going, second)
    assert queue.claim(ready=partial(worker._can_begin, [])) is None
    assert (queue.get(second.id).status, queue.get(second.id).started) == ("completed", None)


def test_calibration_waits_for_an_idle_queue(at_work: Held):
    """A measurement takes seconds, at a low priority many: whoever comes meanwhile does not wait for it."""
    queue.add("run", {"draft": {}})
    before = set(multiprocessing.active_children())  # a pool of a test before this one may still be there
    assert worker._measure() is False
    assert set(multiprocessing.active_children()) <= before


@pytest.mark.alone
def test_impatient_worker_takes_one_turn(at_work: Held, monkeypatch: pytest.MonkeyPatch):
    turn, measure = Mock(), Mock(return_value=True)
    monkeypatch.setattr(worker, "_turn", turn)
    monkeypatch.setattr(worker, "_measure", measure)
    monkeypatch.setattr(worker, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(worker, "IDLE_SECONDS", 0)
    worker._work(at_work)
    turn.assert_called()
    measure.reset_mock()
    monkeypatch.setattr(worker, "IDLE_SECONDS", 0.3)
    began = time.monotonic()
    worker._work(at_work)
    assert time.monotonic() - began < within(5)
    measure.assert_called_once()


def test_idle_worker_looks_after_queue_changes(at_work: Held, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(worker, "IDLE_SECONDS", 1.0)
    monkeypatch.setattr(worker, "LOOK_SECONDS", 1e9)
    turn, seen = Mock(wraps=worker._turn), list[tuple[int, str]]()
    monkeypatch.setattr(worker, "_turn", turn)
    adding = threading.Timer(0.4, lambda: seen.append((turn.call_count, queue.add("run", {"draft": {}}))))
    adding.start()
    worker._work(at_work)
    adding.join()
    ((turns, identity),) = seen
    assert queue.get(identity).status == "completed"
    assert turns == 1, "twenty a second without it"
