"""Works that are trained as one give each federation what it would have got alone."""

import faulthandler
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import psutil
import pytest
import torch

from ldp_core import models, optimizers, partitions
from ldp_core.engines.base import Engine
from ldp_core.engines.joint_training import Work, train_works
from ldp_core.engines.plan import Recipe, plan_batches
from ldp_core.engines.process_pool import Pool
from ldp_core.errors import ProcessLost
from ldp_core.streams import stream
from tests.conftest import ROOT
from tests.data import digits
from tests.pace import within
from tests.runs.processes import wait_for
from tests.warm import Interpreter

TOGETHER = Engine("batched", 1, "cpu")
X, Y = torch.from_numpy(digits().train_x), torch.from_numpy(digits().train_y)
SAMPLES = X, Y, torch.from_numpy(digits().test_x)


def one(
    seed: int,
    model: str = "logistic_regression",
    rate: float = 0.5,
    optimizer: str = "sgd",
    batch: int = 10,
    epochs: int = 1,
    clients: int = 7,
    **changes: Any,
) -> Work:
    """One round of a federation of its own: uneven shards, its own start."""
    shape, architecture = digits().shape, models.get(model)
    shards = partitions.get("dirichlet", alpha=0.3).split(
        digits().train_y, clients, stream(seed, "partition")
    )
    start = torch.from_numpy(architecture.initial(shape, 10, stream(seed, "initial model")))
    recipe = Recipe(architecture, shape, 10, optimizers.get(optimizer), rate)
    plan = plan_batches(shards, epochs, batch, stream(seed, "batches", 1))
    return replace(Work(TOGETHER, recipe, start, SAMPLES, plan), **changes)


@pytest.mark.parametrize("model", ["logistic_regression", "mlp"])
@pytest.mark.parametrize("optimizer", optimizers.names())
def test_joint_training_is_each_ones_own(model: str, optimizer: str):
    """Other seeds, numbers of clients, epochs and learning rates, in one matrix."""
    # Adam's first steps are the gradient's signs: at a large rate it magnifies the last bits
    rate = 0.001 if optimizer == "adam" else 0.1
    works = [
        one(0, model, optimizer=optimizer, rate=rate),
        one(1, model, optimizer=optimizer, rate=3 * rate, clients=3),
        one(2, model, optimizer=optimizer, rate=rate, epochs=2),
    ]
    assert len({work.shape for work in works}) == 1
    for work, trained in zip(works, train_works(works), strict=True):
        alone = work.alone()
        assert (trained - alone).abs().max() <= 2e-5 * alone.abs().max()
        assert (trained - work.start).abs().max() > 0.001, "nothing was trained"


def test_starts_of_their_own_stay_with_their_clients():
    work = one(3)
    starts = torch.stack([work.start + 0.01 * i for i in range(len(work.plan.rows))])
    works = [one(4), one(3, start=starts)]
    torch.testing.assert_close(train_works(works)[1], works[1].alone())


def test_only_one_shape_is_joined():
    """Other models, optimisers, batch sizes or data are other products, and single clients are not joined."""
    others = [
        one(0),
        one(0, model="mlp"),
        one(0, optimizer="adam", rate=0.01),
        one(0, batch=20),
        one(0, samples=(X.clone(), Y, SAMPLES[2])),
    ]
    assert len({work.shape for work in others}) == len(others)
    assert one(0, engine=Engine("batched", 2, "cpu", each=True)).shape is None
    both = train_works([*others, one(5)])
    torch.testing.assert_close(both[0], others[0].alone())
    torch.testing.assert_close(both[-1], one(5).alone())


def test_a_kernel_trains_runs_of_one_plan_as_each_alone():
    first = one(0, engine=Engine("fused", 2, "cpu"))
    faster = replace(first, recipe=replace(first.recipe, learning_rate=1))
    works = [first, replace(first, start=first.start / 2), faster]
    assert len({work.shape for work in works}) == 1
    assert first.shape != one(0, engine=first.engine).shape
    for work, trained in zip(works, train_works(works), strict=True):
        assert torch.equal(trained, work.alone())


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
