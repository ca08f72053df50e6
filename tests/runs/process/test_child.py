"""Watching over a job's process, also while the queue cannot be read or written."""

import json
import os
import signal
from collections.abc import Callable
from itertools import chain, repeat
from typing import Any
from unittest.mock import DEFAULT, Mock

import pytest

from ldp_core.errors import StorageFailed
from ldp_core.runs import queue
from ldp_core.runs.machine.slots import slots
from ldp_core.runs.process import child
from ldp_core.runs.process.child import Watched
from ldp_core.runs.queue.job import Status
from ldp_core.system import process_group
from tests.runs.processes import wait_for

pytestmark = pytest.mark.usefixtures("runs_dir")


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], Watched]:
    """A job in the queue, and its process, which has done this."""

    def begun(does: Callable[..., None]) -> Watched:
        queue.add("run", {"draft": {}})
        job = queue.claim()
        assert job is not None
        monkeypatch.setattr(child, "train_process", does)
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
def test_one_that_was_killed_before_it_had_told_its_end_was_interrupted(watched: Any, said: bytes):
    def dies(tell: Any, *_: Any) -> None:
        os.write(tell.fileno(), said)
        os.kill(os.getpid(), signal.SIGKILL)

    one = watched(dies)
    assert one.step()
    assert queue.get(one.job.id).status == "interrupted"


def test_a_stop_that_comes_while_a_job_begins_to_wait_for_another_one_stops_it(
    watched: Any, monkeypatch: pytest.MonkeyPatch
):
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


def test_an_end_that_could_not_be_written_down_is_written_later_and_kills_nobody_again(
    watched: Any, monkeypatch: pytest.MonkeyPatch
):
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
