"""A real server for the tests of this folder, which need no browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ldp_core.runs.process import registration
from tests.browser.server import Server, nobody_trains
from tests.calibrated import calibrated
from tests.runs.processes import end_workers
from tests.warm import Interpreter


@pytest.fixture(scope="session")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests that leave it as it is, and wait for no training."""
    running = Server(nobody_trains(tmp_path_factory.mktemp("idle") / "runs"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, interpreter: Interpreter) -> Iterator[Server]:
    runs_dir = calibrated(tmp_path_factory.mktemp("server") / "runs")
    interpreter.be_ready()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(runs_dir))
        patch.setenv("EPSILON_WORKER_IDLE_SECONDS", "60")
        registration.ensure_worker()  # which begins warm
    running = Server(runs_dir)
    yield running
    running.stop()
    end_workers(runs_dir)
