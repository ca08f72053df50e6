"""The register of the worker, when what it says makes no sense."""

from __future__ import annotations

import subprocess
from pathlib import Path

import psutil
import pytest

from ldp_core.runs.process import registration
from tests.runs.processes import end_workers

pytestmark = pytest.mark.usefixtures("runs_dir")


@pytest.mark.parametrize("said", ['{"pid": -1, "since": 1}', '{"pid": 1e400, "since": "x"}', "[]", "{", ""])
def test_a_register_that_makes_no_sense_is_nobody(runs_dir: Path, said: str):
    runs_dir.mkdir()
    (runs_dir / "worker.json").write_text(said)
    assert not registration.is_registered()
    assert not registration.is_replaced()


def test_a_worker_has_what_it_needs_of_the_environment_and_not_the_teachers_secret(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(registration, "subprocess", subprocess)  # not one that began warm, before it was set
    monkeypatch.setenv("EPSILON_TEACHER", "chalk and board")
    monkeypatch.setenv("EPSILON_CORES", "1")
    registration.ensure_worker()
    try:
        noted = registration.registered()
        assert noted is not None
        environment = psutil.Process(noted.pid).environ()
    finally:
        end_workers(runs_dir)
    assert environment["EPSILON_CORES"] == "1"
    assert "chalk and board" not in environment.values()
