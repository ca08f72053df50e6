"""Processes that train: none outlives who started it, and a lost one is named."""

import faulthandler
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import psutil
import pytest
from numpy.typing import NDArray

from ldp_core.engines.per_client import Samples, Training, batches_of
from ldp_core.engines.process_pool import Pool
from ldp_core.errors import ProcessLost
from tests.conftest import ROOT
from tests.engines.cases import ENDLESS, SIZES, plan_of, recipe_of, samples_of, start_of
from tests.pace import within
from tests.runs.processes import wait_for
from tests.warm import Interpreter


@pytest.fixture
def training(interpreter: Interpreter, tmp_path: Path) -> Iterator[tuple[psutil.Process, IO[str]]]:
    """A process that trains with a pool of two, and what it prints."""
    (tmp_path / "endless.py").write_text(ENDLESS, encoding="utf-8")
    environment = os.environ | {"EPSILON_SLOT_CORES": "2", "EPSILON_ENGINE": "processes"}
    process, printed = interpreter.piped(["endless", str(ROOT)], tmp_path, environment, tmp_path)
    with printed:
        yield process, printed
    with suppress(psutil.NoSuchProcess):
        process.kill()


def children(pid: int) -> list[psutil.Process]:
    """The two processes of a pool, once they compute."""

    def computing() -> list[psutil.Process]:
        found = psutil.Process(pid).children()
        busy = len(found) == 2 and all(sum(child.cpu_times()[:2]) > 0.2 for child in found)
        return found if busy else []

    return wait_for(computing)


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


def test_interrupted_pool_ends_and_raises_task_errors():
    recipe, plan = recipe_of("cnn", (28, 28)), plan_of(SIZES, 20, 1)
    data = samples_of(recipe, sum(SIZES))
    start = start_of(recipe).numpy()
    task = Training(recipe, start, batches_of(plan, 0))
    pool = Pool(2, data)
    results = pool.map([task] * 8)
    next(results)
    pids = pool.pids
    results.close()  # type: ignore[attr-defined]
    assert pool.pids == []
    assert not any(psutil.pid_exists(pid) for pid in pids)
    broken = Pool(1, data)
    with pytest.raises(RuntimeError, match="index"):
        list(broken.map([Training(recipe, start, [plan.samples[0, 0] + 10**6])]))
    assert broken.pids == []
    lost = Pool(1, data)
    os.kill(lost.pids[0], signal.SIGKILL)
    with pytest.raises(ProcessLost):
        list(lost.map([task]))


@dataclass(frozen=True)
class Crash:
    """A task at which a library goes wrong, once or always."""

    noted: Path
    always: bool

    def __call__(self, samples: Samples) -> NDArray[np.float32]:
        with self.noted.open("a") as note:
            note.write("x")
        if self.always or self.noted.stat().st_size == 1:
            faulthandler.disable()  # it is meant
            os.abort()
        return samples[0].numpy()


def test_crashed_process_is_replaced_once(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    recipe, plan = recipe_of("cnn", (28, 28)), plan_of(SIZES, 20, 1)
    data = samples_of(recipe, sum(SIZES))
    good = Training(recipe, start_of(recipe).numpy(), batches_of(plan, 0))
    pool = Pool(2, data)
    found = dict(pool.map([good, Crash(tmp_path / "once", False), good, good]))
    assert np.array_equal(found[1], data[0].numpy())
    assert all(np.array_equal(found[n], found[0]) for n in (2, 3))
    assert "crashed (SIGABRT)" in caplog.text
    assert len(pool.pids) == 2
    with pytest.raises(ProcessLost, match=r"crashed \(SIGABRT\) twice at the same task"):
        list(pool.map([good, Crash(tmp_path / "always", True)]))
    assert pool.pids == []


UNGUARDED = """
import torch
from ldp_core.engines.process_pool import Pool
from ldp_core.errors import ProcessLost

pool = Pool(1, (torch.zeros(2, 3), torch.zeros(2), torch.zeros(2, 3)), "spawn")
try:
    list(pool.map([print]))
except ProcessLost as lost:
    print(lost)
"""


def test_a_program_without_a_guard_reads_the_true_cause(tmp_path: Path):
    (tmp_path / "unguarded.py").write_text(UNGUARDED, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "unguarded.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ended with exit code 1 before its work was done" in done.stdout, done.stderr
    assert "memory" not in done.stdout
