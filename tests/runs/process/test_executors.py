"""What every executor promises: the one that forks, and another that shares nothing with it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import psutil
import pytest

from ldp_core.runs import kinds, queue
from ldp_core.runs.machine.slots import slots
from ldp_core.runs.process import supervisor
from ldp_core.runs.process.child_process import ChildProcesses
from ldp_core.runs.process.executor import Executor, Handle
from ldp_core.runs.process.training import OUTCOME
from ldp_core.runs.queue.job import Job
from tests.extent import in_gate
from tests.runs.process.fresh import FreshInterpreters
from tests.runs.processes import ENDLESS, PATIENCE_SECONDS, lives, trained_a_round

pytestmark = pytest.mark.usefixtures("runs_dir")
EVERY: list[Executor] = [ChildProcesses(), FreshInterpreters()]
MINE: list[Executor] = in_gate(EVERY[:1], EVERY)
"""The gate starts one fresh interpreter, two seconds of a core: where a supervisor looks after it."""
SHORT: dict[str, Any] = {"rounds": 2, "attack": None}
Begin = Callable[[Executor, dict[str, Any]], tuple[Job, Handle]]


def claimed(changes: dict[str, Any]) -> Job:
    kind = kinds.get("run")
    queue.add("run", kind.request(kind.read(changes, {})))
    job = queue.claim()
    assert job is not None
    return job


@pytest.fixture
def begin() -> Iterator[Begin]:
    started = list[Handle]()

    def start(executor: Executor, changes: dict[str, Any]) -> tuple[Job, Handle]:
        job = claimed(changes)
        started.append(executor.start(job, slots()[0]))
        return job, started[-1]

    yield start
    for handle in started:
        handle.kill()


def wait(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def said(job: Job) -> str:
    return str(json.loads((job.folder / OUTCOME).read_text())["status"])


@pytest.mark.parametrize("executor", MINE, ids=lambda one: type(one).__name__)
def test_a_job_is_done_in_a_process_of_its_own(executor: Executor, begin: Begin):
    job, handle = begin(executor, SHORT)
    assert handle.pid is not None
    assert psutil.Process(handle.pid).ppid() == psutil.Process().pid
    wait(handle.poll)
    handle.kill()
    assert (said(job), handle.code) == ("completed", 0)


@pytest.mark.parametrize("executor", MINE, ids=lambda one: type(one).__name__)
def test_one_that_is_killed_is_gone_at_once_and_killed_once(executor: Executor, begin: Begin):
    job, handle = begin(executor, ENDLESS)
    wait(lambda: trained_a_round(job))
    handle.kill()
    assert handle.pid is not None
    assert not lives(handle.pid)
    assert handle.poll()
    assert handle.code == -9
    handle.kill()
    assert not (job.folder / OUTCOME).exists()
    assert trained_a_round(job)


@pytest.mark.parametrize("executor", EVERY, ids=lambda one: type(one).__name__)
def test_one_that_is_stopped_keeps_what_it_has_done_and_the_supervisor_needs_no_more_of_it(
    executor: Executor, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(supervisor, "GRACE_SECONDS", PATIENCE_SECONDS)  # it is stopped, and not killed
    watched = supervisor.Watched(claimed(ENDLESS), slots()[0], executor)
    wait(lambda: watched.step() or trained_a_round(watched.job))
    assert queue.get(watched.job.id).pid == watched.handle.pid
    assert not watched.handle.poll()
    queue.cancel(watched.job.id)
    wait(watched.step)
    job = queue.get(watched.job.id)
    assert (job.status, job.pid) == ("cancelled", None)
    assert said(job) == "cancelled"
    assert trained_a_round(job)
