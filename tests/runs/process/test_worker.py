"""Jobs in real processes: one worker a folder, whose jobs outlive their launchers and end as it is said."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, own_data, queue
from ldp_core.runs.process import start, training
from ldp_core.runs.process.start import ensure_worker
from ldp_core.runs.queue import table
from ldp_core.runs.storage import locks_and_heartbeats as locks
from ldp_core.runs.storage.locks_and_heartbeats import Holder
from tests.conftest import ROOT
from tests.data import events
from tests.extent import in_gate
from tests.gate import holding
from tests.pace import within
from tests.runs.in_process import bodies
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
    trained_a_round,
    under_way,
    until,
    wait_for,
    workers,
)


@pytest.mark.alone
def test_warm_worker_begins_the_next_job_at_once(warm: Path):
    with holding(warm, 10):
        first = launch({"rounds": 120, "attack": None, "seed": 301})
        second = launch({"rounds": 1, "seed": 302})
        assert jobs.status(second)["ahead"] == 1
        released = time.time()
    begun = ended(second).started
    assert begun and 0 <= begun - released < within(1.0, of_worker=True), "the first makes room for it"
    ended(first)
    assert len(workers(warm)) == 1
    asked = time.monotonic()
    until(launch({"rounds": 1, "seed": 303}), trained_a_round)  # it may have ended by then
    assert time.monotonic() - asked < within(1.5, of_worker=True)


def test_worker_deletes_own_data_whose_time_is_over(warm: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_OWN_DATA_HOURS", f"{1 / 3600}")
    own_data.take({"mine.csv": b"age,bought\n1,no\n2,yes\n3,no\n4,yes\n" * 9}, "a" * 16)
    ensure_worker()
    wait_for(lambda: not [*(warm / "own").iterdir()], 60)


@pytest.mark.usefixtures("clean_processes")
@pytest.mark.alone
@pytest.mark.parametrize("whom", ["worker", "training"])
def test_a_killed_process_is_found_and_never_called_running(whom: str):
    identity, pid = under_way(ENDLESS)
    target = pid if whom == "training" else psutil.Process(pid).ppid()
    os.kill(target, signal.SIGKILL)
    killed = time.monotonic()
    assert ended(identity).status == "interrupted"
    assert time.monotonic() - killed < within(15, of_worker=True)
    assert living([target, pid], PATIENCE_SECONDS) == [], "no orphan goes on training"
    assert rounds_of(identity) > 0, "what was trained is kept"
    assert ended(launch({"rounds": 1})).status == "completed", "the next job finds a worker"


@pytest.mark.usefixtures("warm")
def test_an_error_in_the_program_shows_no_path_and_no_traceback():
    odd = queue.add("run", {"draft": {"base": {}, "seeds": 1}, "reference": "x"})
    ensure_worker()
    assert ended(odd).status == "completed", "a reference that is no yes or no is a yes"
    job = queue.get(odd)
    assert training._in_words(KeyError("/a/path"), job, 10**9) == "an error in the program: KeyError"


@pytest.mark.usefixtures("warm")
def test_a_job_of_which_a_run_diverged_says_so():
    wild = Variant("wild", {"local.learning_rate": 1e6})
    assert ended(launch({}, wild)).status == "diverged"
    job = ended(launch({"rounds": 2}, Variant("fine"), wild))
    assert job.status == "completed"
    assert "1 of 2 runs diverged" in job.message


@pytest.mark.usefixtures("clean_processes")
def test_randomly_killed_run_resumes_to_the_same_weights(runs_dir: Path):
    """The training process, and at every fourth time the worker; at other instants in every run of the test,
    of which some fall into a commit.
    """
    variants = (Variant("a"), Variant("b", {"aggregator.name": "inverse_std"}))
    attack = {"clients": [1], "attacker": "least_squares"}  # its events are stored like all others
    draft = Draft(parse({"rounds": in_gate(80, 300), "attack": attack}), variants)
    with holding(runs_dir, 30):  # or it might be over before it is killed so often
        identity = jobs.submit(draft)
        kills, delays = 0, np.random.default_rng()
        while kills < in_gate(4, 20):
            job = until(identity, lambda job: job.pid is not None or not job.live)
            time.sleep(delays.uniform(0.0, 0.25))
            job = jobs.look(identity)
            if job.status != "running" or job.pid is None:
                continue
            target = job.pid if kills % 4 else psutil.Process(job.pid).ppid()
            os.kill(target, signal.SIGKILL)
            kills += 1
            ended(identity)
            assert jobs.resume(identity).status in ("queued", "running")
    assert ended(identity).status == "completed"
    for number, run in enumerate(draft.experiments()):
        expected = [event | {"seconds": 0} for event in events(run.as_json())]
        assert [event | {"seconds": 0} for event in bodies(queue.get(identity), number)] == expected


def test_earlier_attempts_end_does_not_affect_a_resume(warm: Path):
    """Killed, or asked to stop, as soon as it is there."""
    identity, _ = under_way(ENDLESS)
    jobs.cancel(identity)
    ended(identity)
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        jobs.resume(identity)
        os.kill(until(identity, lambda job: job.pid).pid or 0, number)
        assert ended(identity).status == "interrupted"
    assert len(workers(warm)) == 1, "the worker lives"


def test_vanished_job_ends_alone(warm: Path):
    identity, pid = under_way(ENDLESS)
    other = launch({"rounds": 1, "seed": 202})
    with table.changing() as db:
        db.execute("DELETE FROM jobs WHERE id = ?", (identity,))
    assert ended(other).status == "completed"
    assert not psutil.pid_exists(pid)
    assert len(workers(warm)) == 1


@pytest.mark.usefixtures("warm")
def test_a_request_that_cannot_be_read_harms_no_other_job():
    done, waiting = queue.add("run", {"draft": {}}), queue.add("run", {"draft": {}})
    queue.move(done, "cancelled")
    for one in (done, waiting):
        queue.update(one, request="{")
    assert jobs.status(done)["rounds"] == 0
    assert ended(launch({"rounds": 1, "seed": 203})).status == "completed"
    assert ended(waiting).status == "failed"
    assert "cannot be read any more" in queue.get(waiting).message
    jobs.delete(done, for_good=True)


@pytest.mark.usefixtures("clean_processes", "as_people_start_it")
def test_damaged_queue_does_not_fill_the_log(runs_dir: Path):
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
    assert locks.worker() == old, "a look replaces no worker"
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
