"""What tests of jobs share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.calibrated import calibrated
from tests.runs.processes import end_workers, stop_all


@pytest.fixture(scope="session")
def warm_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder whose worker serves all tests of this process that leave it alive: to start one takes seconds.

    What one test has trained is known to the others, so each has experiments (a seed) of its own.
    """
    folder = calibrated(tmp_path_factory.mktemp("warm") / "runs")
    yield folder
    end_workers(folder)


@pytest.fixture
def warm(warm_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """That folder is the one of this test, which leaves no job behind."""
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(warm_dir))
    monkeypatch.setenv("EPSILON_WORKER_IDLE_SECONDS", "60")
    yield warm_dir
    stop_all()
