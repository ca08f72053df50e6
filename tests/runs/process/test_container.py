"""F4, F5 and S9 as a container has them: the server is the first process, and its end is everybody's.

There is no container engine here, but what makes one: a namespace for processes, in which numbers begin
at 1 and are given again after a restart.
"""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from ldp_core.runs import jobs, queue
from tests.browser.server import answers, free_port
from tests.conftest import ROOT
from tests.data import events
from tests.gate import GATED, holding
from tests.pace import within
from tests.runs.processes import PATIENCE_SECONDS, SPACE, rounds_of, skip_without, trained_a_round, wait_for

EXPERIMENT = {"rounds": 250, "attack": None}


class Container:
    """A server as process number 1, after a command that has its turn first."""

    def __init__(self, before: str = "true") -> None:
        port = free_port()
        self.url = f"http://localhost:{port}"
        first = f"{sys.executable} -m streamlit run app.py --server.headless true --server.port {port}"
        command = [*SPACE, "sh", "-c", f"{before} && exec {first}"]
        nowhere = subprocess.DEVNULL
        self.outside = subprocess.Popen(command, cwd=ROOT, stdout=nowhere, stderr=nowhere)

    def send(self, number: signal.Signals) -> float:
        """Tell the server, and wait for the end of all; returns how long it took, in seconds."""
        everybody = psutil.Process(self.outside.pid).children(recursive=True)
        first, began = everybody[0], time.monotonic()
        assert len(everybody) >= 2, "a server and a worker at least"
        first.send_signal(number)
        self.outside.wait(PATIENCE_SECONDS)
        _, left = psutil.wait_procs(everybody, 5)
        assert left == []
        return time.monotonic() - began


def submitting(experiment: dict[str, Any]) -> str:
    return f"echo '{json.dumps(experiment)}' | {sys.executable} -m ldp_core submit -"


@pytest.fixture
def container(runs_dir: Path) -> Iterator[Callable[..., Container]]:
    skip_without(*SPACE, "true")
    made: list[Container] = []

    def start(before: str = "true") -> Container:
        made.append(Container(before))
        return made[-1]

    yield start
    for one in made:
        one.outside.kill()
        one.outside.wait()


@pytest.mark.alone
def test_a_container_is_stopped_and_started_again(
    container: Callable[..., Container], runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    """Nobody looks at the queue from outside in a way that would change it: here nobody there is alive."""
    monkeypatch.setenv("PYTHONPATH", GATED)
    with holding(runs_dir, 40):
        first = container(submitting(EXPERIMENT))
        asked = time.monotonic()
        wait_for(lambda: queue.find() and trained_a_round(queue.find()[0]))
        began = time.monotonic() - asked
        job = queue.find()[0]
        assert first.send(signal.SIGTERM) < within(10, of_worker=True)
        assert 0 < rounds_of(job.id) < 250
        number = queue.get(job.id).pid

    second, asked = container(), time.monotonic()
    wait_for(lambda: not queue.get(job.id).live)
    assert time.monotonic() - asked < 3 * began, "as soon as a worker is there again"
    assert queue.get(job.id).status == "interrupted"
    assert queue.requeue(job.id)  # as whoever presses Resume there does
    wait_for(lambda: queue.get(job.id).status == "completed")
    second.send(signal.SIGKILL)
    assert jobs.status(job.id)["weights_sha256"] == events(EXPERIMENT)[-1]["weights_sha256"]
    assert number and number < 100, "a number of the container's own"


def test_read_only_container_writes_only_its_folders(
    container: Callable[..., Container], runs_dir: Path, tmp_path: Path
):
    """A container whose own files are read-only, and no home, and no folder for what is temporary."""
    there = next(folder for folder in tmp_path.parents if folder.is_mount())  # not always on the same disk
    all_else = " && ".join(f"mount -o remount,bind,ro {one}" for one in sorted({"/", str(there)}))
    skip_without(*SPACE, "sh", "-c", all_else)
    runs_dir.mkdir()
    one = container(
        f"mount --bind {runs_dir} {runs_dir} && {all_else} && ! touch {tmp_path / 'x'} "
        f"&& export HOME=/nowhere && {submitting({'rounds': 3})}"
    )
    wait_for(lambda: queue.find() and not queue.find()[0].live)
    assert queue.find()[0].status == "completed"

    answers(one.url)
