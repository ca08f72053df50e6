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
from tests.runs.processes import (
    ENDLESS,
    end_workers,
    ended,
    launch,
    living,
    under_way,
    until,
    wait_for,
    workers,
)


@pytest.mark.usefixtures("warm")
def test_a_job_that_is_cancelled_twice_has_not_ended_until_its_process_has():
    identity, pid = under_way(ENDLESS)
    for _ in range(5):
        jobs.cancel(identity)
        assert queue.get(identity).status == "cancelling" or not psutil.pid_exists(pid)
    ended(identity)
    assert not psutil.pid_exists(pid)
    jobs.cancel(identity)
    assert queue.get(identity).status == "cancelled"


@pytest.mark.usefixtures("warm")
def test_a_process_that_is_told_to_stop_from_outside_was_interrupted():
    identity, pid = under_way(ENDLESS)
    os.kill(pid, signal.SIGTERM)
    job = ended(identity)
    assert job.status == "interrupted"
    assert "told to stop from outside" in job.message
    jobs.resume(identity)
    until(identity, lambda job: job.status == "running")


def test_how_an_attempt_before_ended_says_nothing_of_this_one(warm: Path):
    """Killed as soon as it is there."""
    identity, _ = under_way(ENDLESS)
    jobs.cancel(identity)
    ended(identity)
    for _ in range(3):
        jobs.resume(identity)
        os.kill(until(identity, lambda job: job.pid).pid or 0, signal.SIGKILL)
        assert ended(identity).status == "interrupted"
    assert len(workers(warm)) == 1, "the worker lives"


def test_a_job_that_vanishes_from_the_queue_takes_nothing_along(warm: Path):
    identity, pid = under_way(ENDLESS)
    other = launch({"rounds": 1, "seed": 202})
    with table.changing() as db:
        db.execute("DELETE FROM jobs WHERE id = ?", (identity,))
    assert ended(other).status == "completed"
    assert not psutil.pid_exists(pid)
    assert len(workers(warm)) == 1


@pytest.mark.usefixtures("clean_processes")
def test_records_outlive_a_queue_that_was_lost(runs_dir: Path):
    """Its file is moved away, as the message on a damaged one advises; a new worker begins with a new one."""
    record = record_of(ended(launch({"rounds": 1})))
    end_workers(runs_dir)
    for file in runs_dir.glob("studio.sqlite*"):
        file.rename(file.with_name(f"old {file.name}"))
    ended(launch({"rounds": 2}))
    assert record.exists()


@pytest.mark.usefixtures("warm")
def test_a_request_that_cannot_be_read_harms_no_other_job():
    done, waiting = queue.add("run", {"draft": {}}), queue.add("run", {"draft": {}})
    queue.move(done, "cancelled")
    for one in (done, waiting):
        queue.update(one, request="{")
    assert jobs.status(done)["rounds"] == 0
    assert ended(launch({"rounds": 1, "seed": 203})).status == "completed"
    assert queue.get(waiting).status == "failed"
    assert "cannot be read any more" in queue.get(waiting).message
    jobs.delete(done, for_good=True)


@pytest.mark.usefixtures("clean_processes", "as_people_start_it")
def test_a_damaged_queue_fills_no_log_and_a_folder_that_was_removed_is_not_made_anew(runs_dir: Path):
    under_way(ENDLESS)
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
