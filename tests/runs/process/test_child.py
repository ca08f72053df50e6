"""Watching over a job's process, also while the queue cannot be read or written, and over those that it may
start: none of them is ever left, whether cancelled, crashed, or orphaned.
"""

import json
import multiprocessing
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain, repeat
from typing import Any
from unittest.mock import DEFAULT, Mock

import psutil
import pytest

from ldp_core.errors import StorageFailed
from ldp_core.runs import kinds, queue
from ldp_core.runs.machine.slots import Slot, slots
from ldp_core.runs.process import child, training, worker
from ldp_core.runs.process.child import Watched
from ldp_core.runs.queue.job import Job, Status
from ldp_core.system import process_group
from tests.pace import within
from tests.runs.processes import living, wait_for

pytestmark = pytest.mark.usefixtures("runs_dir")


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], Watched]:
    """A job in the queue, and its process, which has done this."""

    def begun(does: Callable[..., None]) -> Watched:
        queue.add("run", {"draft": {}})
        job = queue.claim()
        assert job is not None

        def begins(*given: Any) -> None:
            process_group.end_when_asked()
            does(*given)

        monkeypatch.setattr(child, "train_process", begins)
        one = Watched(job, slots()[0])
        wait_for(one.has_ended)
        return one

    return begun


def crash(*_: Any) -> None:
    os._exit(3)


def locked(monkeypatch: pytest.MonkeyPatch, name: str, times: int) -> Mock:
    """The queue refuses to do this so many times."""
    errors = times * [StorageFailed("studio.sqlite cannot be used (database is locked)")]
    stands_in = Mock(wraps=getattr(queue, name), side_effect=chain(errors, repeat(DEFAULT)))
    monkeypatch.setattr(queue, name, stands_in)
    return stands_in


def test_a_queue_that_is_locked_when_a_job_begins_loses_no_job(watched: Any, monkeypatch: pytest.MonkeyPatch):
    one, update = watched(crash), locked(monkeypatch, "update", 3)
    for _ in range(3):
        with pytest.raises(StorageFailed):
            one.step()
    assert one.step() and update.call_args_list[3].kwargs["pid"]
    job = queue.get(one.job.id)
    assert (job.status, job.pid, job.message) == ("failed", None, "the training process crashed (code 3)")


@pytest.mark.parametrize("said", [b"", b"\0\0", b"\0\0\0\x40{"])
@pytest.mark.parametrize(("by", "why"), [(signal.SIGKILL, "killed"), (signal.SIGTERM, "asked to stop")])
def test_signal_before_the_outcome_means_interrupted(watched: Any, said: bytes, by: signal.Signals, why: str):
    def dies(tell: Any, *_: Any) -> None:
        os.write(tell.fileno(), said)
        signal.signal(signal.SIGTERM, partial(worker._leave, os.getppid()))  # inherited, as at the start
        os.kill(os.getpid(), by)
        time.sleep(60)

    one = watched(dies)
    assert one.step()
    job = queue.get(one.job.id)
    assert job.status == "interrupted" and why in job.message


def test_lost_stop_signal_still_ends_the_job(watched: Any, monkeypatch: pytest.MonkeyPatch):
    """Python ignores what is raised in `__del__`."""

    class Deaf:
        def __del__(self) -> None:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.1)

    def computes(*_: Any) -> kinds.JobEnd:
        Deaf()
        time.sleep(60)
        return kinds.JobEnd()

    monkeypatch.setattr(kinds, "get", lambda kind: Mock(run=computes))
    monkeypatch.setattr(training, "STOP_SECONDS", 1)
    one = watched(lambda tell, job, *_: tell.send_bytes(json.dumps(training.train_job(job, 0)).encode()))
    assert one.step()
    assert "asked to stop from outside" in queue.get(one.job.id).message


def test_stop_while_requeueing_cancels_the_job(watched: Any, monkeypatch: pytest.MonkeyPatch):
    """Its process ended because it waits; between the look at its state and the word of it came the stop."""

    def waits(tell: Any, *_: Any) -> None:
        tell.send_bytes(json.dumps({"status": "queued"}).encode())
        os._exit(0)

    one, asked = watched(waits), queue.status

    def then_stop(of: str) -> Status | None:
        found = asked(of)
        queue.cancel(of)
        return found

    monkeypatch.setattr(queue, "status", then_stop)
    assert one.step()
    assert queue.get(one.job.id).status == "cancelled"


def test_unwritten_end_is_written_later(watched: Any, monkeypatch: pytest.MonkeyPatch):
    """The number of a process that has been reaped may be another one's by then."""
    one, end = watched(crash), Mock(wraps=process_group.end)
    monkeypatch.setattr(process_group, "end", end)
    locked(monkeypatch, "move", 1)
    with pytest.raises(StorageFailed):
        one.step()
    assert one.step()
    end.assert_called_once()
    job = queue.get(one.job.id)
    assert (job.status, job.message) == ("failed", "the training process crashed (code 3)")


FORK = multiprocessing.get_context("fork")
SLOT = Slot(0, 1, 10**9)


def fork_again() -> None:
    FORK.Process(target=time.sleep, args=(600,)).start()
    time.sleep(600)


def busy_family(tell: Any, job: Job, slot: Slot, parent: int) -> None:
    """A training process with a child, a grandchild and a program of another kind, all of them deaf."""
    process_group.begin(parent)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGUSR2, lambda *_: os._exit(3))
    FORK.Process(target=fork_again).start()
    subprocess.Popen(["sleep", "600"])
    time.sleep(600)


def work() -> None:
    job = queue.claim()
    assert job
    watched = child.Watched(job, SLOT)
    while not watched.step():
        time.sleep(0.02)


class Family:
    def __init__(self) -> None:
        self.identity = queue.add("run", {})
        self.worker = FORK.Process(target=work)
        self.worker.start()
        supervisor = psutil.Process(self.worker.pid)
        wait_for(lambda: len(supervisor.children(recursive=True)) == 4)
        (self.training,) = supervisor.children()
        self.members = supervisor.children(recursive=True)

    def left(self) -> list[int]:
        self.worker.join(60)
        return living([one.pid for one in self.members])


@pytest.fixture
def family(monkeypatch: pytest.MonkeyPatch) -> Iterator[Family]:
    monkeypatch.setattr(child, "train_process", busy_family)
    found = Family()
    yield found
    found.worker.kill()
    for one in found.members:
        with suppress(psutil.NoSuchProcess):
            one.kill()


@pytest.mark.alone
def test_cancel_kills_all_descendants(family: Family):
    asked = time.monotonic()
    assert queue.move(family.identity, "cancelling")
    family.worker.join(60)
    assert time.monotonic() - asked <= within(2.0)
    assert family.left() == []
    assert (queue.get(family.identity).status, queue.get(family.identity).pid) == ("cancelled", None)


def test_a_crash_takes_the_family_along(family: Family):
    family.training.send_signal(signal.SIGUSR2)
    assert family.left() == []
    job = queue.get(family.identity)
    assert (job.status, job.message) == ("failed", "the training process crashed (code 3)")


def test_forked_processes_die_with_the_worker(family: Family):
    forked = [one.pid for one in family.members if one.name() != "sleep"]
    family.worker.kill()
    family.worker.join(60)
    assert living(forked) == []
    assert queue.reap() == [family.identity]
