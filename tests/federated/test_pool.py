"""Processes that train: none outlives who started it, and a lost one is named."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from ldp_core.errors import ProcessLost
from ldp_core.federated.alone import batches_of
from ldp_core.federated.pool import Pool, Training
from tests.conftest import ROOT
from tests.federated.test_engine import plan_of, recipe_of, samples, start_of

pytestmark = pytest.mark.alone

LONG = {
    "dataset": "mnist",
    "model": "cnn",
    "attack": None,
    "local": {"epochs": 100, "batch_size": 20, "learning_rate": 0.01},
    "clients": {"count": 4, "epsilon": 1},
}
"""A round of minutes."""
JOB = """
import json, os, sys
import numpy as np
from pathlib import Path
from ldp_core.datasets import Data
from ldp_core.runs import drive, training
x = np.random.default_rng(0).random((600, 28, 28)).astype(np.float32)
y = np.arange(600) % 10
drive.load = lambda name: Data(x, y, x[:50], y[:50], 10)
training.train_job(Path(sys.argv[1]), {"draft": json.loads(sys.argv[2])}, os.getppid())
"""


def job(folder: Path, experiment: dict[str, Any]) -> subprocess.Popen[bytes]:
    """A training process as the worker starts it, on made-up images."""
    import json

    return subprocess.Popen(
        [sys.executable, "-c", JOB, str(folder), json.dumps(experiment)],
        cwd=ROOT,
        env=os.environ | {"EPSILON_PROCESSES": "2", "EPSILON_RUNS_DIR": str(folder.parent)},
    )


def children(pid: int, seconds: float = 30) -> list[psutil.Process]:
    """The two processes of a pool, once they compute."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = psutil.Process(pid).children()
        if len(found) == 2 and all(sum(child.cpu_times()[:2]) > 0.2 for child in found):
            return found
        time.sleep(0.05)
    raise AssertionError("no pool was started")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_its_processes_end_with_the_training_process_in_the_middle_of_a_round(tmp_path: Path, how: int):
    training = job(tmp_path / "job", LONG)
    pool = children(training.pid)
    asked = time.monotonic()
    training.send_signal(how)
    training.wait(10)
    took = time.monotonic() - asked
    gone, alive = psutil.wait_procs(pool, 5)
    assert not alive
    assert len(gone) == 2
    if how == signal.SIGTERM:
        assert took < 5
        assert '"cancelled"' in (tmp_path / "job" / "outcome.json").read_text()


def test_a_process_that_is_killed_is_named_and_the_next_round_has_new_ones(tmp_path: Path):
    training = job(tmp_path / "job", LONG)
    pool = children(training.pid)
    pool[0].kill()
    training.wait(20)
    text = (tmp_path / "job" / "outcome.json").read_text()
    assert '"failed"' in text
    assert "a process that trained was killed" in text
    assert not psutil.wait_procs(pool, 5)[1]


def test_an_interrupted_pool_is_ended_and_an_error_in_it_is_told():
    recipe, data, plan = recipe_of("cnn", (28, 28)), samples((28, 28)), plan_of(1)
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
