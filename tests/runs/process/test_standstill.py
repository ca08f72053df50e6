"""A process that lives and stands still is told, with what to do; once it is let go on, so is the job."""

import json
import time
from pathlib import Path

import psutil
import pytest

from ldp_core import cli
from ldp_core.runs import jobs, queue
from ldp_core.runs.storage import locks_and_heartbeats as locks
from tests.runs.processes import ENDLESS, ended, launch, rounds_of, under_way, until, wait_for, workers


@pytest.fixture(autouse=True)
def sooner(monkeypatch: pytest.MonkeyPatch, runs_dir: Path, clean_processes: None):
    """Whoever looks calls it stalled sooner; signs of life come as often as ever."""
    monkeypatch.setattr(locks, "STALLED_SECONDS", 3.0)
    monkeypatch.setattr(locks, "SURE_SECONDS", 2.5)
    yield
    for process in workers(runs_dir):
        process.resume()


def test_a_training_that_stands_still_is_stalled_and_goes_on(capsys: pytest.CaptureFixture[str]):
    identity, pid = under_way(ENDLESS)
    training, worker = psutil.Process(pid), psutil.Process(psutil.Process(pid).ppid())
    worker.suspend()  # it is not this one that matters, as long as what it has begun goes on
    assert jobs.look(identity).status == "running"
    time.sleep(locks.SURE_SECONDS)
    assert jobs.look(identity).status == "running"

    training.suspend()
    job = until(identity, lambda job: job.status == "stalled")
    assert job.live
    assert f"process {pid}, which trains, has stood still for" in job.message
    assert jobs.status(identity)["status"] == jobs.recent()[0].status == "stalled"
    locks._seen.clear()  # as a command does, that looks for the first time
    assert cli.main(["status", identity, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "stalled"
    assert queue.status(identity) == "running", "in the queue nothing has changed"
    before = rounds_of(identity)

    training.resume()
    until(identity, lambda job: job.status == "running")
    wait_for(lambda: rounds_of(identity) > before)
    worker.resume()
    jobs.cancel(identity)
    assert ended(identity).status == "cancelled"


def test_stalled_worker_is_reported_and_job_cancelled():
    first, pid = under_way(ENDLESS)
    training, worker = psutil.Process(pid), psutil.Process(psutil.Process(pid).ppid())
    training.suspend()
    worker.suspend()
    second = launch(ENDLESS | {"seed": 2})
    until(first, lambda job: job.status == "stalled")
    waiting = until(second, lambda job: "stood still" in job.message)
    assert waiting.status == "queued"
    words = f"it cannot begin: the worker, process {worker.pid}, has stood still for"
    assert waiting.message.startswith(words)
    assert "another one begins" in waiting.message
    jobs.cancel(first)
    jobs.cancel(second)
    worker.resume()
    assert ended(first).status == "cancelled", "though its process stands still"
