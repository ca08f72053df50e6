"""Watching over a job whose queue cannot be read or written for a while."""

from __future__ import annotations

import json
import os
import time
from types import SimpleNamespace
from typing import Any

import pytest

from ldp_core.errors import StorageFailed
from ldp_core.runs import queue
from ldp_core.runs.machine.slots import Slot, slots
from ldp_core.runs.process import child_process, supervisor
from ldp_core.runs.process.training import OUTCOME
from ldp_core.runs.queue.states import Status
from ldp_core.system import process_group

pytestmark = pytest.mark.usefixtures("runs_dir")


def ended(one: supervisor.Watched) -> None:
    """Wait for the end of its process."""
    while not one.handle.poll():
        time.sleep(0.01)


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Stands for a training process, which ends when the test says so."""
    made = SimpleNamespace(pid=4321, exitcode=None, start=lambda: None, terminate=lambda: None)
    monkeypatch.setattr(child_process, "CONTEXT", SimpleNamespace(Process=lambda **_: made))
    monkeypatch.setattr(process_group, "has_ended", lambda one: one.exitcode is not None)
    monkeypatch.setattr(process_group, "end", lambda _: None)
    return made


def watched() -> supervisor.Watched:
    queue.add("run", {"draft": {}})
    job = queue.claim()
    assert job is not None
    return supervisor.Watched(job, Slot(0, 1, 10**9))


def test_a_queue_that_is_locked_when_a_job_begins_loses_no_job(
    process: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
):
    set_pid, failures = queue.set_pid, iter(range(3))

    def locked(*values: Any) -> None:
        if next(failures, None) is not None:
            raise StorageFailed("studio.sqlite cannot be used (database is locked)")
        set_pid(*values)

    monkeypatch.setattr(queue, "set_pid", locked)
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


@pytest.mark.parametrize(
    "said", ['{"status": "running", "message": ""}', "[]", "{", '"completed"', "[" * 9999]
)
def test_what_is_no_word_of_an_end_is_none(process: SimpleNamespace, said: str):
    one = watched()
    one.job.folder.mkdir(parents=True)
    (one.job.folder / OUTCOME).write_text(said)
    process.exitcode = -9
    assert one.step() is True
    assert queue.get(one.job.id).status == "interrupted"


def test_a_word_of_an_earlier_end_is_taken_back_before_the_process_begins(process: SimpleNamespace):
    identity = queue.add("run", {"draft": {}})
    folder = queue.get(identity).folder
    folder.mkdir(parents=True)
    (folder / OUTCOME).write_text('{"status": "completed", "message": ""}')
    job = queue.claim()
    assert job is not None
    one = supervisor.Watched(job, Slot(0, 1, 10**9))
    process.exitcode = -9
    assert one.step() is True
    assert queue.get(identity).status == "interrupted"


def test_a_stop_that_comes_while_a_job_begins_to_wait_for_another_one_stops_it(
    monkeypatch: pytest.MonkeyPatch,
):
    """Its process ended because it waits; between the look at its state and the word of it came the stop."""
    identity = queue.add("run", {"draft": {}})
    job, asked = queue.claim(), queue.status
    assert job is not None
    monkeypatch.setattr(child_process, "train_process", os._exit)
    one = supervisor.Watched(job, slots()[0])
    ended(one)
    job.folder.mkdir(parents=True)
    outcome = {"status": "queued", "message": "", "waits_for": "0" * 12}
    (job.folder / OUTCOME).write_text(json.dumps(outcome))

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
    monkeypatch.setattr(child_process, "train_process", os._exit)
    one = supervisor.Watched(job, slots()[0])
    ended(one)
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
    assert queue.get(identity).status == "failed"
