"""What tests share."""

import gc
import json
import logging
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from platformdirs import user_cache_path

from ldp_core.runs.lockstep import one_thread
from ldp_core.runs.process import start
from ldp_core.runs.storage.locks_and_heartbeats import Held
from tests.calibrated import calibrated
from tests.warm import LINUX, Interpreter, Processes

ROOT = Path(__file__).parents[1]

# What is slow here is the machine: browsers and trainings run beside. What must be quick has a test for it.
settings.register_profile("beside others", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("beside others")


def pytest_collection_finish() -> None:
    """What has been imported stays: the collector need not look through it. Loggers hand on what they
    hear, or pytest would lend a handler to each of a hundred, three times a test.
    """
    gc.collect()
    gc.freeze()
    for logger in [*logging.root.manager.loggerDict.values()]:
        if isinstance(logger, logging.Logger):
            logger.propagate = True


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where only what measures time is asked for, a file that marks nothing as such is not imported."""
    if collection_path.suffix != ".py" or not config.getoption("markexpr").startswith("alone"):
        return None
    return None if "mark.alone" in collection_path.read_text(encoding="utf-8") else True


@pytest.fixture(scope="session")
def interpreter(tmp_path_factory: pytest.TempPathFactory) -> Interpreter:
    """Processes that need not import what is not ours."""
    return Interpreter(tmp_path_factory.getbasetemp() / "warm", os.getpid())


@pytest.fixture(scope="session", autouse=True)
def _workers_begin_warm(interpreter: Interpreter) -> Iterator[None]:
    """Those that this process starts are real processes, whose imports were done before."""
    with pytest.MonkeyPatch.context() as patch:
        if LINUX:
            patch.setattr(start, "subprocess", Processes(interpreter))
        yield


@pytest.fixture(scope="session", autouse=True)
def _visitors_without_runs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What its developers have trained, and the speed of their machine, is neither read here nor touched."""
    os.environ["EPSILON_RUNS_DIR"] = str(tmp_path_factory.mktemp("none") / "runs")


@pytest.fixture
def as_people_start_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker is started by the product itself in this test, with an interpreter of its own."""
    monkeypatch.setattr(start, "subprocess", subprocess)


WORKERS = {"clean_processes", "warm"}
"""Fixtures of tests whose jobs are to be done; those in a browser have a server that sees to it."""


@pytest.fixture(autouse=True)
def _no_worker_is_started(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests put in the queue stays there: a worker would train on when they have ended."""
    if not WORKERS & {*request.fixturenames} and not request.node.get_closest_marker("browser"):
        monkeypatch.setattr("ldp_core.runs.jobs.lookup.ensure_worker", lambda newest=False: None)


@pytest.fixture(scope="session")
def oracles() -> dict[str, Any]:
    """Reference values to 60 digits, computed independently of this project."""
    return json.loads((ROOT / "tests" / "oracles.json").read_text(encoding="utf-8"))


@pytest.fixture
def runs_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A runs folder of its own, for this process and the ones it starts."""
    folder = tmp_path / "runs"
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(folder))
    return folder


@pytest.fixture
def no_worker(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs wait: no worker is started for them."""
    monkeypatch.setattr("ldp_core.runs.jobs.lookup.ensure_worker", lambda *_: None)


@pytest.fixture
def at_work(runs_dir: Path) -> Iterator[Held]:
    """This process has the lock of the worker, and what it takes from the queue is looked after."""
    from tests.runs.processes import stand_in

    with stand_in(runs_dir) as held:
        yield held


@pytest.fixture
def clean_processes(
    runs_dir: Path, interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The jobs of this test are done, by a worker that does not outlive it."""
    from tests.runs.processes import end_workers

    calibrated(runs_dir)
    interpreter.be_ready()
    yield
    end_workers(runs_dir)


@pytest.fixture(scope="session")
def warm_dir(tmp_path_factory: pytest.TempPathFactory, interpreter: Interpreter) -> Iterator[Path]:
    """A folder whose worker serves all tests that leave it alive, each with a seed of its own."""
    from tests.runs.processes import end_workers

    folder = calibrated(tmp_path_factory.mktemp("warm") / "runs")
    interpreter.be_ready()
    yield folder
    end_workers(folder)


@pytest.fixture
def warm(warm_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """That folder is the one of this test, which leaves no job behind."""
    from tests.runs.processes import stop_all

    monkeypatch.setenv("EPSILON_RUNS_DIR", str(warm_dir))
    yield warm_dir
    stop_all()


@pytest.fixture(scope="session")
def mnist_dir() -> Path:
    """The folder with the real MNIST files; tests that need it are skipped without."""
    folder = Path(os.environ.get("EPSILON_DATA_DIR", ""))
    if not (folder / "MNIST" / "raw" / "train-images-idx3-ubyte").exists():
        pytest.skip(
            "the real MNIST files are not here: EPSILON_DATA_DIR does not name a folder that has them"
        )
    return folder


@pytest.fixture(scope="session", autouse=True)
def _own_kernels(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Machine code is kept for as long as the tests run."""
    os.environ.setdefault("PLAYWRIGHT_BROWSERS_PATH", str(user_cache_path() / "ms-playwright"))
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    """Every result in the tests is of one thread, as in the worker."""
    one_thread()
