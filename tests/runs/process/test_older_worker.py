"""A worker of another version of the program: it ends what it has begun, and goes."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from ldp_core.runs import jobs, queue
from ldp_core.runs.process import registration
from tests.runs.processes import (
    ENDLESS,
    PATIENCE_SECONDS,
    launch,
    living,
    trained_a_round,
    until,
    workers,
)


@pytest.fixture
def two_slots(runs_dir: Path, clean_processes: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EPSILON_SLOTS", "2")
    monkeypatch.setenv("EPSILON_WORKER_IDLE_SECONDS", "600")  # whoever leaves earlier was not just idle
    return runs_dir


def pid_of_the_worker(runs_dir: Path) -> int:
    return int(json.loads((runs_dir / "worker.json").read_text())["pid"])


def test_a_worker_of_an_older_version_takes_no_new_job_and_loses_none(
    two_slots: Path, monkeypatch: pytest.MonkeyPatch
):
    begun = launch(ENDLESS)
    until(begun, trained_a_round)
    old = pid_of_the_worker(two_slots)
    monkeypatch.setattr(registration, "program", lambda: "a newer one")  # this process is now its server
    monkeypatch.setattr(registration, "STARTED", time.time())
    jobs.look(begun)
    assert pid_of_the_worker(two_slots) == old, "who only looks replaces nobody"
    later = launch({"rounds": 2, "attack": None, "seed": 5})
    new = pid_of_the_worker(two_slots)
    assert new != old
    assert until(later, lambda job: not job.live).status == "completed"
    assert queue.get(begun).status == "running", "what the old one has begun goes on"
    jobs.cancel(begun)
    assert until(begun, lambda job: not job.live).status == "cancelled"
    assert living([old], PATIENCE_SECONDS) == [], "and then it leaves, without waiting for more"
    assert new in [process.pid for process in workers(two_slots)]
    assert pid_of_the_worker(two_slots) == new
    monkeypatch.setattr(registration, "program", lambda: "an older one")  # two servers share the folder
    monkeypatch.setattr(registration, "STARTED", 1.0)
    registration.ensure_worker(newest=True)
    assert pid_of_the_worker(two_slots) == new, "of two servers, the one that began last has its way"
