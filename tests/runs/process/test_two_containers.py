"""S9: a read-only container. F11: two on one folder of runs; one trains, the other looks.

There is no container engine here, but what makes one: namespaces for processes. One is this process's own.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ldp_core.runs import jobs, queue
from ldp_core.runs.record.computations import is_being_computed
from tests.browser.server import answers, free_port
from tests.conftest import ROOT
from tests.data import events
from tests.gate import GATED, holding
from tests.runs.in_process import bodies
from tests.runs.processes import (
    SPACE,
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


def test_read_only_container_writes_only_its_folders(runs_dir: Path, tmp_path: Path):
    """A container whose own files are read-only, and no home, and no folder for what is temporary."""
    skip_without(*SPACE, "true")
    there = next(folder for folder in tmp_path.parents if folder.is_mount())  # not always on the same disk
    all_else = " && ".join(f"mount -o remount,bind,ro {one}" for one in sorted({"/", str(there)}))
    skip_without(*SPACE, "sh", "-c", all_else)
    runs_dir.mkdir()
    port = free_port()
    served = f"{sys.executable} -m streamlit run app.py --server.headless true --server.port {port}"
    begins = (
        f"mount --bind {runs_dir} {runs_dir} && {all_else} && ! touch {tmp_path / 'x'} "
        f"&& export HOME=/nowhere && echo '{{\"rounds\": 3}}' | {sys.executable} -m ldp_core submit - "
        f"&& exec {served}"
    )
    nowhere = subprocess.DEVNULL
    with subprocess.Popen([*SPACE, "sh", "-c", begins], cwd=ROOT, stdout=nowhere, stderr=nowhere) as outside:
        try:
            wait_for(lambda: queue.find() and not queue.find()[0].live)
            assert queue.find()[0].status == "completed"
            answers(f"http://localhost:{port}")
        finally:
            outside.kill()
