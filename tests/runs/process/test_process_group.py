"""A training process may start others, and none of them is ever left: cancelled, crashed, or orphaned."""

import json
import multiprocessing
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from ldp_core.runs import queue
from ldp_core.runs.machine.slots import Slot
from ldp_core.runs.process import child
from ldp_core.runs.queue.job import Job
from ldp_core.system import process_group
from tests.pace import within
from tests.runs.processes import living, wait_for

pytestmark = pytest.mark.usefixtures("runs_dir")
FORK = multiprocessing.get_context("fork")
SLOT = Slot(0, 1, 10**9)


def sleep() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


def fork_twice(folder: Path) -> None:
    inner = FORK.Process(target=sleep)
    inner.start()
    (folder / "inner").write_text(str(inner.pid))
    sleep()


def busy_family(tell: Any, job: Job, slot: Slot, parent: int) -> None:
    """A training process with a child, a grandchild and a program of another kind, all of them deaf."""
    process_group.begin(parent)
    folder = job.folder
    folder.mkdir(parents=True)
    child = FORK.Process(target=fork_twice, args=(folder,))
    child.start()
    program = subprocess.Popen(["sleep", "600"])
    while not (folder / "inner").exists() or not (folder / "inner").read_text():
        time.sleep(0.01)
    family = [os.getpid(), child.pid, int((folder / "inner").read_text())]
    (folder / "partial").write_text(json.dumps({"forked": family, "program": program.pid}))
    (folder / "partial").rename(folder / "family")
    if job.request.get("crash"):
        os._exit(3)
    sleep()


def work(identity: str) -> None:
    job = queue.claim()
    assert job and job.id == identity
    watched = child.Watched(job, SLOT)
    while not watched.step():
        time.sleep(0.02)


@pytest.fixture
def family(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(child, "train_process", busy_family)
    started: list[int] = []

    def begin(**request: Any) -> tuple[str, Any, list[int], int]:
        identity = queue.add("run", request)
        worker = FORK.Process(target=work, args=(identity,))
        worker.start()
        recorded = queue.get(identity).folder / "family"
        wait_for(recorded.exists)
        members = json.loads(recorded.read_text())
        started.extend([worker.pid or 0, *members["forked"], members["program"]])
        return identity, worker, members["forked"], members["program"]

    yield begin
    for pid in living(started, 0):
        os.kill(pid, signal.SIGKILL)


@pytest.mark.alone
def test_cancelling_ends_the_whole_family_even_if_it_is_deaf(family: Any):
    identity, worker, forked, program = family()
    asked = time.monotonic()
    assert queue.move(identity, "cancelling")
    worker.join(60)
    took = time.monotonic() - asked
    assert living([*forked, program]) == []
    assert queue.get(identity).status == "cancelled"
    assert queue.get(identity).pid is None
    assert took <= within(2.0)


def test_a_crash_takes_the_family_along(family: Any):
    identity, worker, forked, program = family(crash=True)
    worker.join(60)
    assert living([*forked, program]) == []
    job = queue.get(identity)
    assert (job.status, job.message) == ("failed", "the training process crashed (code 3)")


def test_nothing_that_was_forked_survives_the_worker(family: Any):
    identity, worker, forked, _ = family()
    os.kill(worker.pid, signal.SIGKILL)
    worker.join(60)
    assert living(forked) == []
    assert queue.reap() == [identity]
