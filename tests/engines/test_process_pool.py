"""Processes that train: none outlives who started it, and a lost one is named."""

import faulthandler
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil
import pytest

from ldp_core.engines.process_pool import Pool
from ldp_core.errors import ProcessLost
from tests.conftest import ROOT
from tests.pace import within
from tests.runs.processes import wait_for
from tests.warm import Interpreter

NAME = "epsilon-test"
ENDLESS = """
import signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
from ldp_core.engines.process_pool import Pool

def stop(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGTERM, stop)  # as the training process does
pool = Pool(2, 600, "epsilon-test")
try:
    list(pool.map([time.sleep] * 4))
except KeyboardInterrupt:
    print("stopped with", threading.active_count(), flush=True)
"""


@pytest.fixture
def training(interpreter: Interpreter, tmp_path: Path) -> Iterator[tuple[psutil.Process, IO[str]]]:
    """A process with a pool of two, and what it prints."""
    (tmp_path / "endless.py").write_text(ENDLESS, encoding="utf-8")
    process, printed = interpreter.piped(["endless", str(ROOT)], tmp_path, os.environ, tmp_path)
    with printed:
        yield process, printed
    with suppress(psutil.NoSuchProcess):
        process.kill()


def children(pid: int) -> list[psutil.Process]:
    def both() -> list[psutil.Process]:
        found = psutil.Process(pid).children()
        return found if len(found) == 2 else []

    found = wait_for(both)
    time.sleep(0.2)  # until they have taken a task
    return found


@pytest.mark.alone
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_pool_ends_with_its_training_process(how: int, training: tuple[psutil.Process, IO[str]]):
    process, printed = training
    pool = children(process.pid)
    asked = time.monotonic()
    process.send_signal(how)
    process.wait(60)
    took = time.monotonic() - asked
    assert not psutil.wait_procs(pool, 20)[1], "orphans go on training"
    assert printed.read().endswith("stopped with 1\n") == (how == signal.SIGTERM)
    assert took < within(8), "usually it takes a tenth of a second"


def test_killed_process_is_named_and_ends_the_pool(training: tuple[psutil.Process, IO[str]], tmp_path: Path):
    process, _ = training
    pool = children(process.pid)
    pool[0].kill()
    process.wait(60)
    output = (tmp_path / "stderr").read_text(encoding="utf-8")
    assert "ProcessLost: a process that trained was killed, most likely because" in output
    assert not psutil.wait_procs(pool, 20)[1]


def failing(shared: list[int]) -> int:
    return shared[99]


def test_interrupted_pool_ends_and_raises_task_errors():
    pool = Pool(2, [3, 4], NAME)
    results = pool.map([sum] * 8)
    next(results)
    pids = pool.pids
    results.close()  # type: ignore[attr-defined]
    assert pool.pids == []
    assert not any(psutil.pid_exists(pid) for pid in pids)
    broken = Pool(1, [3, 4], NAME)
    with pytest.raises(RuntimeError, match="IndexError"):
        list(broken.map([failing]))
    assert broken.pids == []
    lost = Pool(1, [3, 4], NAME)
    os.kill(lost.pids[0], signal.SIGKILL)
    with pytest.raises(ProcessLost):
        list(lost.map([sum]))


@dataclass(frozen=True)
class Crash:
    """A task at which a library goes wrong, once or always."""

    noted: Path
    always: bool

    def __call__(self, shared: list[int]) -> list[int]:
        with self.noted.open("a") as note:
            note.write("x")
        if self.always or self.noted.stat().st_size == 1:
            faulthandler.disable()  # it is meant
            os.abort()
        return shared


def test_crashed_process_is_replaced_once(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    pool = Pool(2, [3, 4], NAME)
    found = dict(pool.map([sum, Crash(tmp_path / "once", False), sum, sum]))
    assert found == {0: 7, 1: [3, 4], 2: 7, 3: 7}
    assert "crashed (SIGABRT)" in caplog.text
    assert len(pool.pids) == 2
    with pytest.raises(ProcessLost, match=r"crashed \(SIGABRT\) twice at the same task"):
        list(pool.map([sum, Crash(tmp_path / "always", True)]))
    assert pool.pids == []
