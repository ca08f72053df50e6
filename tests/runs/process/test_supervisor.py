"""Watching over a job whose queue cannot be read or written for a while."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ldp_core.errors import StorageFailed
from ldp_core.runs import queue
from ldp_core.runs.machine.slots import Slot
from ldp_core.runs.process import supervisor
from ldp_core.runs.process.training import OUTCOME
from ldp_core.system import process_group

pytestmark = pytest.mark.usefixtures("runs_dir")


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Stands for a training process, which ends when the test says so."""
    made = SimpleNamespace(pid=4321, exitcode=None, start=lambda: None, terminate=lambda: None)
    monkeypatch.setattr(supervisor, "CONTEXT", SimpleNamespace(Process=lambda **_: made))
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
            raise StorageFailed("queue.sqlite cannot be used (database is locked)")
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
