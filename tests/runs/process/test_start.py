"""One worker a folder of runs, however many ask for it; one of an older version makes room."""

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from ldp_core.runs import jobs, queue
from ldp_core.runs.process import start
from ldp_core.runs.storage import locks_and_heartbeats as locks
from ldp_core.runs.storage.locks_and_heartbeats import Holder
from tests.conftest import ROOT
from tests.runs.processes import (
    ENDLESS,
    PATIENCE_SECONDS,
    at_once,
    end_workers,
    ended,
    launch,
    living,
    rounds_of,
    stand_in,
    under_way,
    wait_for,
    workers,
)


def the_worker() -> Holder:
    who = wait_for(locks.worker)
    assert who
    return who


@pytest.mark.usefixtures("clean_processes")
def test_twenty_starts_at_once_make_one_worker(runs_dir: Path):
    at_once(20, start.ensure_worker)
    assert locks.is_held(runs_dir / locks.WORKER), "from the first moment"
    pid = the_worker().pid
    assert [process.pid for process in workers(runs_dir)] == [pid]


def test_second_worker_exits(runs_dir: Path):
    with stand_in(runs_dir) as held:
        command = [sys.executable, "-m", "ldp_core.runs.process.worker"]
        assert subprocess.run(command, cwd=ROOT, timeout=PATIENCE_SECONDS).returncode == 0
        assert locks.worker() == held.who
        start.ensure_worker()
        assert workers(runs_dir) == []


def test_worker_environment_lacks_the_teachers_secret(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(start, "subprocess", subprocess)  # not one that began warm, before it was set
    monkeypatch.setenv("EPSILON_TEACHER", "chalk and board")
    monkeypatch.setenv("EPSILON_SLOT_CORES", "1")
    start.ensure_worker()
    try:
        environment = psutil.Process(the_worker().pid).environ()
    finally:
        end_workers(runs_dir)
    assert environment["EPSILON_SLOT_CORES"] == "1"
    assert "chalk and board" not in environment.values()


@pytest.mark.usefixtures("clean_processes")
def test_older_worker_hands_its_jobs_over(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_SLOTS", "2")

    def be_a_server(version: str, began: float) -> None:
        monkeypatch.setattr(start, "program", lambda: version)
        monkeypatch.setattr(start, "STARTED", began)
        monkeypatch.setattr(start, "_started", [])

    begun, _ = under_way(ENDLESS)
    old = the_worker()
    be_a_server("a newer one", time.time())
    jobs.look(begun)
    start.ensure_worker()
    assert locks.worker() == old, "who only looks replaces nobody"
    later = launch({"rounds": 2, "attack": None, "seed": 5})
    assert living([old.pid], PATIENCE_SECONDS) == []
    kept, new = rounds_of(begun), wait_for(lambda: who if (who := locks.worker()) != old else None)
    assert new
    assert (new.pid != old.pid, new.wanted) == (True, start.STARTED)
    assert ended(later).status == "completed"
    wait_for(lambda: rounds_of(begun) > kept > 0)
    assert queue.get(begun).status == "running", "what the old one had begun goes on where it was"
    be_a_server("an older one", 1.0)  # two share the folder
    start.ensure_worker(newest=True)
    assert start._started == [], "of two servers, the one that began last has its way"
    assert locks.worker() == new
