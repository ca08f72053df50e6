"""A process that lives and stands still is told, with what to do; once it is let go on, so is the job."""

import json
import signal
import time
from pathlib import Path

import psutil
import pytest

from ldp_core import cli
from ldp_core.runs import jobs, queue
from ldp_core.runs.storage import locks_and_heartbeats as locks
from ldp_core.runs.view.run_curves import progress_of
from tests.runs.processes import ENDLESS, launch, trained_a_round, until, workers


@pytest.fixture(autouse=True)
def sooner(monkeypatch: pytest.MonkeyPatch, runs_dir: Path, clean_processes: None):
    """Whoever looks calls it stalled sooner; signs of life come as often as ever."""
    monkeypatch.setattr(locks, "STALLED_SECONDS", 3.0)
    monkeypatch.setattr(locks, "SURE_SECONDS", 2.5)
    yield
    for process in workers(runs_dir):
        process.resume()


def family(runs_dir: Path) -> tuple[psutil.Process, psutil.Process]:
    found = workers(runs_dir)
    pids = {process.pid for process in found}
    (worker,) = [process for process in found if process.ppid() not in pids]
    return worker, next(process for process in found if process.ppid() == worker.pid)


def test_a_training_that_stands_still_is_stalled_and_goes_on(
    runs_dir: Path, capsys: pytest.CaptureFixture[str]
):
    identity = launch(ENDLESS)
    until(identity, trained_a_round)
    worker, training = family(runs_dir)
    worker.suspend()  # it is not this one that matters, as long as what it has begun goes on
    assert jobs.look(identity).status == "running"
    time.sleep(locks.SURE_SECONDS)
    assert jobs.look(identity).status == "running"

    training.suspend()
    job = until(identity, lambda job: job.status == "stalled", 60)
    assert job.live
    assert f"process {training.pid}, which trains, has stood still for" in job.message
    assert "stop this job and take it up again" in job.message
    assert jobs.status(identity)["status"] == "stalled"
    assert jobs.recent()[0].status == "stalled"
    locks._seen.clear()  # as a command does, that looks for the first time
    assert cli.main(["status", identity, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "stalled"
    assert queue.status(identity) == "running", "in the queue nothing has changed"
    before = trained(identity)

    training.send_signal(signal.SIGCONT)
    until(identity, lambda job: job.status == "running", 60)
    until(identity, lambda _: trained(identity) > before, 60)
    worker.resume()
    jobs.cancel(identity)
    assert until(identity, lambda job: not job.live, 60).status == "cancelled"


def test_a_worker_that_stands_still_is_told_to_those_who_wait_and_a_stalled_job_can_be_stopped(
    runs_dir: Path,
):
    first = launch(ENDLESS)
    until(first, trained_a_round)
    worker, training = family(runs_dir)
    training.suspend()
    worker.suspend()
    second = launch(ENDLESS | {"seed": 2})
    until(first, lambda job: job.status == "stalled", 60)
    waiting = until(second, lambda job: "stood still" in job.message, 60)
    assert waiting.status == "queued"
    assert waiting.message.startswith(
        f"it cannot begin: the worker, process {worker.pid}, has stood still for"
    )
    assert "another one begins" in waiting.message
    jobs.cancel(first)
    jobs.cancel(second)

    worker.resume()
    stopped = until(first, lambda job: not job.live, 60)
    assert stopped.status == "cancelled", "though its process stands still"


def trained(identity: str) -> int:
    return progress_of(queue.get(identity)).update().rounds_done()
