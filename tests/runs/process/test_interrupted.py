"""How jobs end when things come at once, or from the wrong side: what is said of them stays true."""

import os
import shutil
import signal
import time
from pathlib import Path

import psutil
import pytest

from ldp_core.runs import jobs, queue
from ldp_core.runs.queue import table
from tests.runs.in_process import record_of
from tests.runs.processes import ENDLESS, ended, launch, living, trained_a_round, until, wait_for, workers


def training(identity: str) -> int:
    """The number of the process that trains a job, once there is one."""
    job = until(identity, lambda job: job.pid is not None)
    assert job.pid is not None
    return job.pid


@pytest.mark.usefixtures("warm")
def test_a_job_that_is_cancelled_twice_has_not_ended_until_its_process_has():
    identity = launch(ENDLESS)
    until(identity, trained_a_round)
    pid = training(identity)
    for _ in range(5):
        jobs.cancel(identity)
        job = queue.get(identity)
        assert job.status == "cancelling" or not psutil.pid_exists(pid)
    until(identity, lambda job: job.status == "cancelled")
    assert not psutil.pid_exists(pid)
    jobs.cancel(identity)
    assert queue.get(identity).status == "cancelled"


@pytest.mark.usefixtures("warm")
def test_a_process_that_is_told_to_stop_from_outside_was_interrupted():
    identity = launch(ENDLESS)
    until(identity, trained_a_round)
    os.kill(training(identity), signal.SIGTERM)
    job = ended(identity)
    assert job.status == "interrupted"
    assert "told to stop from outside" in job.message
    jobs.resume(identity)
    until(identity, lambda job: job.status == "running")
    jobs.cancel(identity)
    until(identity, lambda job: job.status == "cancelled")


def test_how_an_attempt_before_ended_says_nothing_of_this_one(warm: Path):
    """Killed as soon as it is there."""
    identity = launch(ENDLESS)
    until(identity, trained_a_round)
    jobs.cancel(identity)
    until(identity, lambda job: job.status == "cancelled")
    for _ in range(3):
        jobs.resume(identity)
        os.kill(training(identity), signal.SIGKILL)
        assert ended(identity).status == "interrupted"
    assert len(workers(warm)) == 1, "the worker lives"


def test_a_job_that_vanishes_from_the_queue_takes_nothing_along(warm: Path):
    identity, other = launch(ENDLESS), launch({"rounds": 1, "seed": 202})
    until(identity, trained_a_round)
    pid = training(identity)
    with table.changing() as db:
        db.execute("DELETE FROM jobs WHERE id = ?", (identity,))
    assert ended(other).status == "completed"
    assert not psutil.pid_exists(pid)
    assert len(workers(warm)) == 1


@pytest.mark.usefixtures("clean_processes")
def test_records_outlive_a_queue_that_was_lost(runs_dir: Path):
    """Its file is moved away, as the message on a damaged one advises; a new worker begins with a new one."""
    first = launch({"rounds": 1})
    file = record_of(ended(first))
    for worker in workers(runs_dir):
        worker.kill()
        worker.wait(60)
    for file in runs_dir.glob("studio.sqlite*"):
        file.rename(file.with_name(f"old {file.name}"))
    second = launch({"rounds": 2})
    ended(second)
    assert file.exists()


@pytest.mark.usefixtures("warm")
def test_a_request_that_cannot_be_read_harms_no_other_job():
    done, waiting = queue.add("run", {"draft": {}}), queue.add("run", {"draft": {}})
    queue.move(done, "cancelled")
    for one in (done, waiting):
        queue.update(one, request="{")
    assert jobs.status(done)["rounds"] == 0
    other = launch({"rounds": 1, "seed": 203})
    assert ended(other).status == "completed"
    job = queue.get(waiting)
    assert job.status == "failed"
    assert "cannot be read any more" in job.message
    jobs.delete(done, for_good=True)


@pytest.mark.usefixtures("clean_processes", "as_people_start_it")
def test_a_damaged_queue_fills_no_log_and_a_folder_that_was_removed_is_not_made_anew(runs_dir: Path):
    until(launch(ENDLESS), trained_a_round)
    log, pids = runs_dir / "worker.log", [process.pid for process in workers(runs_dir)]
    queue.queue_path().write_bytes(b"no database" * 1000)
    wait_for(lambda: "queue" in log.read_text())
    size, seconds = log.stat().st_size, 2.0
    time.sleep(seconds)  # what is measured is a rate
    assert log.stat().st_size - size < 2000 * seconds, "it was 40 kB a second"
    assert len(pids) == 2
    while runs_dir.exists():  # a worker may write into it while it is removed
        shutil.rmtree(runs_dir, ignore_errors=True)
    assert living(pids, 60.0) == []
    assert not runs_dir.exists()
