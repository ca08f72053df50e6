"""Jobs in real processes: they outlive whoever launched them, can be stopped, and never lie."""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, queue
from ldp_core.runs.lockstep import drive
from ldp_core.runs.process import training
from ldp_core.runs.process.start import ensure_worker
from ldp_core.runs.record.events import events_of
from tests.conftest import ROOT
from tests.extent import in_gate
from tests.gate import holding
from tests.pace import within
from tests.runs.processes import (
    ENDLESS,
    PATIENCE_SECONDS,
    ended,
    launch,
    living,
    trained_a_round,
    until,
    workers,
)
from tests.warm import Interpreter


@pytest.mark.alone
def test_jobs_wait_their_turn_and_the_warm_worker_begins_the_next_at_once(warm: Path):
    with holding(warm, 10):
        first = launch({"rounds": 120, "attack": None, "seed": 301})
        second = launch({"rounds": 1, "seed": 302})
        assert jobs.status(second)["ahead"] == 1
    until(second, lambda job: job.status == "completed")
    done, begun = queue.get(first).ended, queue.get(second).started
    assert done and begun and 0 <= begun - done < within(1.0, of_worker=True)
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
    job = ended(identity)
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
    job = ended(identity)
    assert job.status == "interrupted"
    assert time.monotonic() - killed < within(15, of_worker=True)
    if whom == "worker":
        assert living([target, job.pid or target], PATIENCE_SECONDS) == [], "no orphan goes on training"
    assert len(events_of(job)) > 1, "what was trained is kept"
    again = launch({"rounds": 1})
    assert ended(again).status == "completed", "the next job finds a worker"


@pytest.mark.usefixtures("warm")
def test_an_error_in_the_program_shows_no_path_and_no_traceback():
    odd = queue.add("run", {"draft": {"base": {}, "seeds": 1}, "reference": "x"})
    ensure_worker()
    assert ended(odd).status == "completed", "a reference that is no yes or no is a yes"
    job = ended(queue.add("run", {"nothing": 1}))
    assert job.status == "failed"
    assert job.message == "what it was asked to do cannot be read any more; launch it again"
    assert training._in_words(KeyError("/a/path"), job, 10**9) == "an error in the program: KeyError"


GROUPS = [{"share": 0.5, "labels": None}, {"share": 0.5, "labels": [3]}]
UNFIT = {"clients": {"count": 1400}, "partition": {"kind": "group_labels", "groups": GROUPS}}
FINE, WILD = Variant("fine"), Variant("wild", {"local.learning_rate": 1e6})


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize(
    ("changes", "variants", "status", "words"),
    [
        (UNFIT, [FINE], "failed", "group 2 has 700 clients but only"),
        ({}, [WILD], "diverged", "diverged at round 1"),
        ({"rounds": 2}, [FINE, WILD], "completed", "1 of 2 runs diverged"),
    ],
)
def test_a_job_that_ends_otherwise_says_how(
    changes: dict[str, Any], variants: list[Variant], status: str, words: str
):
    job = ended(launch(changes, *variants))
    assert job.status == status
    assert words in job.message


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
    job = ended(identity)
    assert job.status == "completed"
    for number, run in enumerate(draft.experiments()):
        recorded = [event.body | {"seconds": 0} for event in events_of(job) if event.run == number]
        turns = [event for turn in drive({0: run}) for event in turn.events]
        assert recorded == [event | {"seconds": 0} for event in turns]
