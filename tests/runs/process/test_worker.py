"""Jobs in real processes: they outlive whoever launched them, can be stopped, and never lie."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from ldp_core.experiment import Draft, Experiment, Variant, parse
from ldp_core.runs import jobs, queue
from ldp_core.runs.lockstep import drive
from ldp_core.runs.process import training
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.events import events_of
from ldp_core.runs.view.run_progress import progress_of
from tests.conftest import ROOT
from tests.extent import in_gate
from tests.gate import holding
from tests.pace import within
from tests.runs.processes import ENDLESS, PATIENCE_SECONDS, launch, trained_a_round, until, workers
from tests.warm import Interpreter


@pytest.mark.usefixtures("warm")
def test_a_job_runs_to_its_end_and_is_the_same_run_as_on_the_command_line():
    both = (Variant("a"), Variant("b", {"aggregator.name": "inverse_std"}))
    identity = launch({"rounds": 4}, *both)
    job = until(identity, lambda job: not job.live)
    assert (job.status, job.message) == ("completed", "")
    runs = progress_of(job).update().runs
    assert [run.round for run in runs] == [4, 4]
    from tests.data import events

    same: list[dict[str, Any]] = [{"rounds": 4}, {"rounds": 4, "aggregator": "inverse_std"}]
    for run, changes in zip(runs, same, strict=True):
        assert run.end is not None
        assert run.end["weights_sha256"] == events(changes)[-1]["weights_sha256"]
    status = jobs.status(identity)
    assert (status["status"], status["round"], status["rounds"], status["pid"]) == ("completed", 4, 4, None)
    assert len(status["weights_sha256"]) == 64


@pytest.mark.alone
def test_jobs_wait_their_turn_and_the_warm_worker_begins_the_next_at_once(warm: Path):
    with holding(warm, 10):
        first, second = (
            launch({"rounds": 120, "attack": None, "seed": 301}),
            launch({"rounds": 1, "seed": 302}),
        )
        assert jobs.status(second)["ahead"] == 1
    until(second, lambda job: job.status == "completed")
    ended = queue.get(first).ended
    started = queue.get(second).started
    assert ended is not None
    assert started is not None
    assert 0 <= started - ended < within(1.0, of_worker=True)
    assert len(workers(warm)) == 1
    asked = time.monotonic()
    third = launch({"rounds": 1, "seed": 303})
    until(third, trained_a_round)
    assert time.monotonic() - asked < within(1.5, of_worker=True)


def test_a_job_outlives_the_process_that_launched_it(warm: Path, interpreter: Interpreter, tmp_path: Path):
    asked = json.dumps({"rounds": 80, "attack": None})
    words = ["tests.runs.launching", str(interpreter.place), asked]
    with holding(warm, 10):
        launcher, printed = interpreter.piped(words, ROOT, os.environ, tmp_path)
        with printed:
            identity = printed.readline().strip()
        launcher.kill()
        launcher.wait(PATIENCE_SECONDS)
        assert jobs.look(identity).live, "it is under way, or about to be"
    job = until(identity, lambda job: not job.live)
    assert job.status == "completed"


@pytest.mark.usefixtures("clean_processes")
@pytest.mark.alone
@pytest.mark.parametrize("whom", ["worker", "training"])
def test_a_killed_process_is_found_and_never_called_running(runs_dir: Path, whom: str):
    identity = launch(ENDLESS)
    job = until(identity, trained_a_round)
    assert job.pid is not None
    target = job.pid if whom == "training" else psutil.Process(job.pid).ppid()
    os.kill(target, signal.SIGKILL)
    killed = time.monotonic()
    job = until(identity, lambda job: not job.live)
    assert job.status == "interrupted"
    assert time.monotonic() - killed < within(15, of_worker=True)
    if whom == "worker":
        deadline = time.monotonic() + PATIENCE_SECONDS
        while psutil.pid_exists(job.pid or target) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not [p for p in workers(runs_dir) if p.pid == target], "no orphan goes on training"
    assert len(events_of(job)) > 1, "what was trained is kept"
    again = launch({"rounds": 1})
    assert until(again, lambda job: not job.live).status == "completed", "the next job finds a worker"


@pytest.mark.usefixtures("warm")
def test_a_job_that_cannot_run_says_why():
    groups = [{"share": 0.5, "labels": None}, {"share": 0.5, "labels": [3]}]
    identity = launch({"clients": {"count": 1400}, "partition": {"kind": "group_labels", "groups": groups}})
    job = until(identity, lambda job: not job.live)
    assert job.status == "failed"
    assert "group 2 has 700 clients but only" in job.message


@pytest.mark.usefixtures("warm")
def test_an_error_in_the_program_shows_no_path_and_no_traceback(monkeypatch: pytest.MonkeyPatch):
    identity = queue.add("run", {"draft": {"base": {}, "seeds": 1}, "reference": "x"})
    from ldp_core.runs.process.start import ensure_worker

    ensure_worker()
    job = until(identity, lambda job: not job.live)
    assert job.status == "completed", "a reference that is no yes or no is a yes"
    broken = queue.add("run", {"nothing": 1})
    job = until(broken, lambda job: not job.live)
    assert job.status == "failed"
    assert job.message == "what it was asked to do cannot be read any more; launch it again"
    assert training._in_words(KeyError("/a/path"), job, 10**9) == "an error in the program: KeyError"


@pytest.mark.usefixtures("warm")
def test_a_diverging_job_is_called_so_and_one_diverging_run_among_others_too():
    identity = launch({"local": {"learning_rate": 1e6}})
    job = until(identity, lambda job: not job.live)
    assert job.status == "diverged"
    assert job.message.startswith("diverged at round 1")
    identity = launch({"rounds": 2}, Variant("fine"), Variant("wild", {"local.learning_rate": 1e6}))
    job = until(identity, lambda job: not job.live)
    assert (job.status, job.message) == ("completed", "1 of 2 runs diverged")


def per_run(job: Job) -> dict[int, list[dict[str, Any]]]:
    """Each run's events in order, without the time that they took."""
    found: dict[int, list[dict[str, Any]]] = {}
    for event in events_of(job):
        found.setdefault(event.run, []).append({k: v for k, v in event.body.items() if k != "seconds"})
    return found


@pytest.mark.usefixtures("clean_processes")
def test_a_run_killed_at_random_instants_is_resumed_to_the_same_weights(runs_dir: Path):
    """Killed with SIGKILL four times (by hand twenty), the worker or three times as often the training
    process, and taken up again.

    The instants are drawn anew in every run of the test: some fall into a commit.
    """
    variants = (Variant("a"), Variant("b", {"aggregator.name": "inverse_std"}))
    attack = {"clients": [1], "attacker": "least_squares"}  # its events are stored like all others
    experiment: dict[str, Any] = {"rounds": in_gate(80, 300), "attack": attack}
    draft = Draft(parse(experiment), variants)
    expected = {
        i: [event | {"seconds": None} for event in turns_of(run)] for i, run in enumerate(draft.experiments())
    }
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
            until(identity, lambda job: not job.live)
            assert jobs.resume(identity).status in ("queued", "running")
    job = until(identity, lambda job: not job.live)
    assert job.status == "completed"
    told = per_run(job)
    for i, events in expected.items():
        assert told[i] == [{k: v for k, v in event.items() if k != "seconds"} for event in events]


def turns_of(experiment: Experiment) -> list[dict[str, Any]]:
    return [event for turn in drive({0: experiment}) for event in turn.events]
