"""What tests of jobs share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.runs.processes import workers


@pytest.fixture
def clean_processes(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No worker that a test has started outlives it."""
    monkeypatch.setenv("EPSILON_WORKER_IDLE_SECONDS", "20")
    yield
    for process in workers(runs_dir):
        with suppress(psutil.NoSuchProcess):  # it dies with another one of these
            process.kill()
            process.wait(10)
