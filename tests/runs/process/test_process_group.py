"""A training process may start others, and none of them is ever left: cancelled, crashed, or orphaned."""

import multiprocessing
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psutil
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


def fork_again() -> None:
    FORK.Process(target=time.sleep, args=(600,)).start()
    time.sleep(600)


def busy_family(tell: Any, job: Job, slot: Slot, parent: int) -> None:
    """A training process with a child, a grandchild and a program of another kind, all of them deaf."""
    process_group.begin(parent)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, lambda *_: os._exit(3))
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
def test_cancelling_ends_the_whole_family_even_if_it_is_deaf(family: Family):
    asked = time.monotonic()
    assert queue.move(family.identity, "cancelling")
    family.worker.join(60)
    assert time.monotonic() - asked <= within(2.0)
    assert family.left() == []
    assert (queue.get(family.identity).status, queue.get(family.identity).pid) == ("cancelled", None)


def test_a_crash_takes_the_family_along(family: Family):
    family.training.send_signal(signal.SIGUSR1)
    assert family.left() == []
    job = queue.get(family.identity)
    assert (job.status, job.message) == ("failed", "the training process crashed (code 3)")


def test_nothing_that_was_forked_survives_the_worker(family: Family):
    forked = [one.pid for one in family.members if one.name() != "sleep"]
    family.worker.kill()
    family.worker.join(60)
    assert living(forked) == []
    assert queue.reap() == [family.identity]
