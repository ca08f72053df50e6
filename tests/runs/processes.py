"""Jobs in real processes: launching them, watching them, finding what they have started."""

import multiprocessing
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, queue
from ldp_core.runs.kinds import JobEnd
from ldp_core.runs.machine.slots import count
from ldp_core.runs.process.start import LOG, STARTED, program
from ldp_core.runs.process.training import train_job
from ldp_core.runs.queue.job import LIVE, Job
from ldp_core.runs.storage.locks_and_heartbeats import WORKER, Held, taken
from ldp_core.runs.view.run_curves import progress_of

T = TypeVar("T")
FORK: Any = multiprocessing.get_context("fork")
SPACE = ["unshare", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"]
"""A container's namespace for processes, where there is no engine for containers."""
ENDLESS = {"rounds": 10_000, "attack": None}
PATIENCE_SECONDS = 150.0
"""Until something that should come is missed: training gives way to whatever else this machine does. What
must be quick is measured."""


def skip_without(*command: str) -> None:
    """Skip a test on a machine where a command cannot be run (Linux: `unshare`)."""
    if shutil.which(command[0]) is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip(f"this cannot be done on this machine: {' '.join(command)}")


def at_once(count: int, act: Callable[[], T]) -> list[T]:
    with ThreadPoolExecutor(count) as pool:
        return [begun.result() for begun in [pool.submit(act) for _ in range(count)]]


def workers(runs_dir: Path) -> list[psutil.Process]:
    """The worker of a folder of runs, and the processes that train."""
    found = []
    for pid in psutil.pids():
        with suppress(OSError, psutil.NoSuchProcess, psutil.AccessDenied):
            if _is_of(runs_dir, pid):
                found.append(psutil.Process(pid))
    return found


def _is_of(runs_dir: Path, pid: int) -> bool:
    if sys.platform == "linux":  # where one that began warm has another command, and the same log
        output = str(Path(f"/proc/{pid}/fd/1").readlink())
        return output.removesuffix(" (deleted)") == str((runs_dir / LOG).resolve())
    process = psutil.Process(pid)
    mine = process.environ().get("EPSILON_RUNS_DIR") == str(runs_dir)
    return mine and "ldp_core.runs.process.worker" in process.cmdline()


def stand_in(runs_dir: Path) -> Held:
    """This process is the worker of a folder of runs: no other one is started."""
    runs_dir.mkdir(parents=True, exist_ok=True)
    file = taken(runs_dir / WORKER)
    assert file is not None, "there is one"
    return Held(runs_dir / WORKER, file, beats=True, program=program(), wanted=STARTED, slots=count())


def end_workers(runs_dir: Path) -> None:
    """Kill the workers of a runs folder and whatever they have started."""
    for process in workers(runs_dir):
        with suppress(psutil.NoSuchProcess):  # it dies with another one of these
            process.kill()
            process.wait(10)


def stop_all() -> None:
    """Cancel every job that waits or runs, and wait for its end."""
    for job in queue.find(f"status IN {LIVE}"):
        jobs.cancel(job.id)
        ended(job.id)


def launch(changes: dict[str, Any], *variants: Variant) -> str:
    return jobs.submit(Draft(parse(changes), variants or (Variant("run"),)))


def wait_for(done: Callable[[], T], seconds: float = PATIENCE_SECONDS) -> T:
    deadline = time.monotonic() + seconds
    while not (found := done()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def until(identity: str, done: Callable[[Job], object], seconds: float = PATIENCE_SECONDS) -> Job:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        job = jobs.look(identity)
        if done(job):
            return job
        time.sleep(0.05)
    raise AssertionError(f"still {job.status} ({job.message}) after {seconds} s")


def under_way(changes: dict[str, Any]) -> tuple[str, int]:
    """A job that has trained a round, and its process."""
    job = until(launch(changes), lambda job: job.pid and trained_a_round(job))
    return job.id, job.pid or 0


def ended(identity: str) -> Job:
    return until(identity, lambda job: not job.live)


def trained_a_round(job: Job) -> bool:
    return rounds_of(job.id) > 0


def rounds_of(identity: str) -> int:
    return progress_of(queue.get(identity)).update().rounds_done()


def living(pids: Collection[int], seconds: float = 20.0) -> list[int]:
    """Which of these processes still live after so long (or none, as soon as none does)."""
    deadline = time.monotonic() + seconds
    while (left := [pid for pid in pids if _lives(pid)]) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def _lives(pid: int) -> bool:
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def launched_elsewhere(changes: dict[str, Any]) -> tuple[Any, str]:
    """A process that stands for a server: it launches a job and only lives on; and that job."""
    heard, tell = FORK.Pipe(duplex=False)

    def live() -> None:
        tell.send(launch(changes))
        time.sleep(600)

    process = FORK.Process(target=live, daemon=True)
    process.start()
    return process, str(heard.recv())


class Trained:
    """A job that a fork of this process does, without a worker: it shares what a test has put in place."""

    def __init__(self, job: Job) -> None:
        self._heard, tell = FORK.Pipe(duplex=False)
        with tell:
            self.process = FORK.Process(target=lambda: tell.send(train_job(job, 10**9)))
            self.process.start()

    def outcome(self, seconds: float = PATIENCE_SECONDS) -> JobEnd:
        assert self._heard.poll(seconds)
        outcome: JobEnd = self._heard.recv()
        self.process.join(seconds)
        return outcome
