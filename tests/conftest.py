"""What tests share."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def oracles() -> dict[str, Any]:
    """Reference values to 60 digits, computed independently of this project."""
    return json.loads((ROOT / "tests" / "oracles.json").read_text(encoding="utf-8"))


@pytest.fixture
def runs_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A runs folder of its own, for this process and the ones it starts."""
    folder = tmp_path / "runs"
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(folder))
    monkeypatch.setenv("EPSILON_WORKER_IDLE_SECONDS", "5")  # no worker outlives its test for long
    return folder


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
def _one_thread() -> None:
    """Every result in the tests is of one thread, as in the worker."""
    import torch

    torch.set_num_threads(1)
