"""F11: two containers on one folder of runs. One trains, the other one looks, and nobody writes beside it.

There is no container engine here, but what makes one: namespaces for processes. One is this process's own.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, queue
from ldp_core.runs.process import worker
from ldp_core.runs.record.computations import is_being_computed
from tests.conftest import ROOT
from tests.data import events
from tests.gate import GATED, holding
from tests.runs.in_process import bodies, queued
from tests.runs.processes import (
    SPACE,
    Trained,
    ended,
    living,
    skip_without,
    trained_a_round,
    until,
    wait_for,
    workers,
)

HOST, ROUNDS = "elsewhere", 100
EXPERIMENT = {"rounds": ROUNDS, "attack": None}
HOLD = "import sys, time; from ldp_core.runs.record.computations import hold; "
HOLD += "kept = hold(sys.argv[1], True); print('held', flush=True); time.sleep(600)"
SUBMIT = "import json, sys, time; from ldp_core.runs.jobs import submit; "
SUBMIT += "from ldp_core.experiment import parse_draft; "
SUBMIT += "print(submit(parse_draft(json.loads(sys.argv[1]))), flush=True); time.sleep(600)"
Elsewhere = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    """Python code in another namespace; returned after its first line of output."""
    skip_without(*SPACE, "--uts", "true")
    begun: list[subprocess.Popen[str]] = []

    def begin(code: str, *arguments: object) -> subprocess.Popen[str]:
        named = ["sh", "-c", 'hostname "$0" && exec "$@"', HOST]
        command = [*SPACE, "--uts", *named, sys.executable, "-c", code, *map(str, arguments)]
        begun.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
        stdout = begun[-1].stdout
        assert stdout and stdout.readline()
        return begun[-1]

    yield begin
    for one in begun:
        one.kill()
        one.communicate()


@pytest.mark.usefixtures("clean_processes")
def test_other_container_waits_until_the_trainer_dies(
    elsewhere: Elsewhere, runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PYTHONPATH", GATED)
    with holding(runs_dir, 20):
        elsewhere(SUBMIT, json.dumps(EXPERIMENT))
        (job,) = queue.find()
        until(job.id, trained_a_round)
        pids = {process.pid for process in workers(runs_dir)}
        (there,) = [process for process in workers(runs_dir) if process.ppid() not in pids]
        for process in workers(runs_dir):  # or it might end while it is looked at
            process.suspend()

    seen = jobs.status(job.id)
    assert (seen["status"], seen["pid"]) == ("running", None)
    assert f"of host '{HOST}', in another container" in seen["message"]
    assert jobs.recent()[0].status == jobs.resume(job.id).status == "running"
    assert is_being_computed(job.keys[0])
    there.kill()
    assert living([there.pid]) == []

    assert ended(job.id).status == "interrupted"
    assert jobs.resume(job.id).live
    assert ended(job.id).status == "completed"
    *_, end = recorded = bodies(job)
    assert [one["round"] for one in recorded if one["event"] == "round"] == [*range(1, ROUNDS + 1)]
    assert end["weights_sha256"] == events(EXPERIMENT)[-1]["weights_sha256"]


@pytest.mark.usefixtures("runs_dir")
def test_run_held_elsewhere_waits_for_its_holder(elsewhere: Elsewhere):
    job = queued(Draft(parse({"rounds": 1, "attack": None}), (Variant("run"),)))
    holder = elsewhere(HOLD, job.keys[0])
    assert queue.claim(ready=partial(worker._can_begin, [])) is None, "nothing begins beside it"
    assert Trained(job).outcome().status == "queued"
    assert bodies(job) == []

    (inside,) = psutil.Process(holder.pid).children()
    inside.kill()
    assert living([inside.pid]) == []
    # its threads die one by one, and the last of them lets go of the file
    wait_for(lambda: queue.claim(ready=partial(worker._can_begin, [])))
    assert Trained(job).outcome().status == "completed"
    assert bodies(job)[-1]["event"] == "end"
