"""Watching over a job's process, also while the queue cannot be read or written."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from ldp_core.errors import StorageFailed
from ldp_core.runs import queue
from ldp_core.runs.machine.slots import Slot, slots
from ldp_core.runs.process import child
from ldp_core.runs.process.child import Watched
from ldp_core.runs.queue.job import Status
from ldp_core.system import process_group
from tests.runs.processes import PATIENCE_SECONDS

pytestmark = pytest.mark.usefixtures("runs_dir")


def wait(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Stands for a training process, which ends when the test says so, and may have told how."""
    made = SimpleNamespace(pid=4321, exitcode=None, start=lambda: None, terminate=lambda: None)

    def begun(args: tuple[Any, ...], **_: Any) -> SimpleNamespace:
        made.tell = os.fdopen(os.dup(args[0].fileno()), "wb")
        return made

    context = SimpleNamespace(Process=begun, Pipe=child.CONTEXT.Pipe)
    monkeypatch.setattr(child, "CONTEXT", context)
    monkeypatch.setattr(process_group, "has_ended", lambda one: one.exitcode is not None)
    monkeypatch.setattr(process_group, "end", lambda one: one.tell.close())
    return made


def watched() -> Watched:
    queue.add("run", {"draft": {}})
    job = queue.claim()
    assert job is not None
    return Watched(job, Slot(0, 1, 10**9))


def test_a_queue_that_is_locked_when_a_job_begins_loses_no_job(
    process: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
):
    update, failures = queue.update, iter(range(3))

    def locked(identity: str, **columns: Any) -> None:
        if next(failures, None) is not None:
            raise StorageFailed("studio.sqlite cannot be used (database is locked)")
        update(identity, **columns)

    monkeypatch.setattr(queue, "update", locked)
    one = watched()
    for _ in range(3):
        with pytest.raises(StorageFailed):
            one.step()
    assert one.step() is False
    assert queue.get(one.job.id).pid == 4321
    process.exitcode = 1
    assert one.step() is True
    job = queue.get(one.job.id)
    assert (job.status, job.pid, job.message) == ("failed", None, "the training process crashed (code 1)")


@pytest.mark.parametrize("said", [b"", b"\0\0", b"\0\0\0\x40{"])
def test_one_that_was_killed_before_it_had_told_its_end_was_interrupted(
    process: SimpleNamespace, said: bytes
):
    one = watched()
    process.tell.write(said)
    process.exitcode = -9
    assert one.step() is True
    assert queue.get(one.job.id).status == "interrupted"


def test_a_stop_that_comes_while_a_job_begins_to_wait_for_another_one_stops_it(
    monkeypatch: pytest.MonkeyPatch,
):
    """Its process ended because it waits; between the look at its state and the word of it came the stop."""

    def waits(tell: Any, *_: Any) -> None:
        tell.send_bytes(json.dumps({"status": "queued"}).encode())
        os._exit(0)

    identity = queue.add("run", {"draft": {}})
    job, asked = queue.claim(), queue.status
    assert job is not None
    monkeypatch.setattr(child, "train_process", waits)
    one = Watched(job, slots()[0])
    wait(one.has_ended)

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
    monkeypatch.setattr(child, "train_process", lambda *_: os._exit(3))
    one = Watched(job, slots()[0])
    wait(one.has_ended)
    end = process_group.end

    def counted(process: Any) -> None:
        killed.append(1)
        end(process)

    monkeypatch.setattr(process_group, "end", counted)

    def locked(*_: Any) -> bool:
        monkeypatch.setattr(queue, "move", move)
        raise StorageFailed("studio.sqlite is kept locked by another program")

    monkeypatch.setattr(queue, "move", locked)
    with pytest.raises(StorageFailed):
        one.step()
    assert one.step()
    assert killed == [1]
    job = queue.get(identity)
    assert (job.status, job.message) == ("failed", "the training process crashed (code 3)")
