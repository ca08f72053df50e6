"""What tests of jobs share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runs.processes import end_workers


@pytest.fixture
def clean_processes(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No worker that a test has started outlives it."""
    monkeypatch.setenv("EPSILON_WORKER_IDLE_SECONDS", "20")
    yield
    end_workers(runs_dir)
