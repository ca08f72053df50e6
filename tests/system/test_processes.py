"""A training process gives way, in its own session and in the time that sessions share."""

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
import torch

from ldp_core.datasets import get
from ldp_core.experiment import parse
from ldp_core.federated.state import State
from ldp_core.simulate import simulate
from ldp_core.system.bounded import answer
from ldp_core.system.memory import ran_out
from ldp_core.system.process_group import AUTOGROUP, NICENESS, begin, end_when_asked, give_way, stops_held
from ldp_core.system.threads import on_one_thread
from tests.conftest import ROOT


def as_it_is() -> tuple[int, str]:
    group = AUTOGROUP.read_text() if AUTOGROUP.exists() else ""
    return os.getpriority(os.PRIO_PROCESS, 0), group.rpartition(" ")[2].strip()


def trains(answer: Connection, parent: int) -> None:
    begin(parent)
    give_way()  # said twice is as good as said once
    answer.send(as_it_is())


def test_training_process_has_low_priority():
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=trains, args=(theirs, os.getpid()))
    process.start()
    niceness, group = ours.recv()
    process.join()
    assert niceness >= NICENESS
    assert group in (str(NICENESS), "")
    assert as_it_is()[0] < NICENESS


def test_reader_of_files_lowers_its_own_priority_alone():
    """The server, whose session it shared, stood behind all trainings from the first upload on."""
    before = as_it_is()
    assert not answer("json", {}, {}).said  # which has no answer
    assert as_it_is() == before


@pytest.mark.parametrize(("error", "tries"), [(errno.EAGAIN, 3), (errno.EACCES, 1)])
def test_priority_is_retried_only_when_temporary(error: int, tries: int, monkeypatch: pytest.MonkeyPatch):
    """Of those who are not root, the kernel hears ten a second, all processes together."""
    asked: list[str] = []

    def write(self: Path, text: str) -> None:
        asked.append(text)
        if len(asked) < 3:
            raise OSError(error, "refused")

    monkeypatch.setattr(Path, "write_text", write)
    monkeypatch.setattr("os.nice", lambda _: 0)
    monkeypatch.setattr("time.sleep", lambda _: None)
    give_way()
    assert len(asked) == tries


def test_stop_during_fork_is_not_lost():
    """Of a hundred that were, 97 went on where nothing was held back."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        for _ in range(20):
            with stops_held():
                if not (pid := os.fork()):
                    end_when_asked()
                    time.sleep(60)
                    os._exit(0)
                os.kill(pid, signal.SIGTERM)
            assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_run_has_one_thread_and_its_caller_as_many_as_before():
    before, within = torch.get_num_threads(), list[int]()

    def keep(state: State) -> None:
        within.append(torch.get_num_threads())

    experiment = parse({"rounds": 2, "attack": None})
    torch.set_num_threads(2)
    try:
        for _ in simulate(experiment, get("digits").load(Path("nowhere")), keep=keep):
            assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert within == [1, 1, 1]


def test_an_error_gives_the_threads_back():
    @on_one_thread
    def failing():
        yield torch.get_num_threads()
        raise ValueError("lost")

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        events = failing()
        assert next(events) == 1
        try:
            next(events)
        except ValueError:
            assert torch.get_num_threads() == 2
        else:
            raise AssertionError("nothing was raised")
    finally:
        torch.set_num_threads(before)


PAGES = """
import resource, sys
import numpy as np
from ldp_core.system import memory
if sys.argv[1] == "kept":
    memory.keep_what_is_freed()
np.ones(2**23)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    np.ones(2**23)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
"""Twenty arrays of 64 MiB, one after another: how many pages that is, the machine decides."""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's ways")
def test_freed_memory_is_reused_by_large_arrays():
    faults = {
        how: int(subprocess.check_output([sys.executable, "-c", PAGES, how], cwd=ROOT, text=True))
        for how in ("kept", "given back")
    }
    assert 5 * faults["kept"] < faults["given back"]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), True),
        (OSError(12, "Cannot allocate memory"), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"), True),
        (type("OutOfMemoryError", (RuntimeError,), {})("CUDA out of memory"), True),
        (RuntimeError("shapes do not match"), False),
        (OSError(28, "No space left on device"), False),
    ],
)
def test_running_out_of_memory_is_known_by_any_name(error: Exception, expected: bool):
    assert ran_out(error) is expected
