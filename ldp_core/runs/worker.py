"""The worker: a detached process that takes jobs from the queue, one after another.

It outlives the page, the browser and the server that started it, keeps torch imported so that the
next job begins at once, and gives every job a process of its own, so that a crash or a cancelled
run takes nothing else along. Who starts one, and a worker that is about to leave, agree under a
lock, so that there is one worker for a runs folder and no job is ever left without.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from filelock import FileLock

from ldp_core.runs import queue
from ldp_core.runs.alive import identity, is_alive
from ldp_core.runs.calibration import calibrate, rates
from ldp_core.runs.drive import load, one_thread
from ldp_core.runs.housekeeping import REMOVED, prune
from ldp_core.runs.paths import data_dir, runs_dir
from ldp_core.runs.training import DISK_FULL, OUTCOME, disk_full, train_job

POLL_SECONDS = 0.05
GRACE_SECONDS = 2.0
"""A job that is cancelled has this long to finish its step before it is killed."""
QUIET_SECONDS = 1.0
"""After so long without a job, a machine that has not been measured is measured."""
IDLE_SECONDS = 600.0
"""A worker without work stays warm this long."""

_started: list[subprocess.Popen[bytes]] = []
"""Workers that this process has started, kept so that the system can be told of their end."""


def ensure_worker() -> None:
    """Start a worker unless one is running; returns at once."""
    with _lock():
        if _registered_alive():
            return
        _started[:] = [process for process in _started if process.poll() is None]
        with (runs_dir() / "worker.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "ldp_core.runs.worker"],
                cwd=Path(__file__).parents[2],
                env=os.environ | {"EPSILON_RUNS_DIR": str(runs_dir()), "EPSILON_DATA_DIR": str(data_dir())},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        _started.append(process)
        _register(process.pid)


def main() -> None:
    """Work until the queue has been empty for a while; leave at once if another worker is there."""
    logging.basicConfig(format="%(asctime)s %(process)d %(levelname)s %(message)s", level=logging.INFO)
    with _lock():
        if _registered_alive() and json.loads(_register_path().read_text())["pid"] != os.getpid():
            return
        _register(os.getpid())
    os.nice(10)  # training gives way to the server that shows it
    _warm_up()
    while True:
        _work()
        with _lock():
            # whoever submits now waits for the lock, and then finds no worker registered
            if not queue.find("status = 'queued'", most=1):
                _register_path().unlink(missing_ok=True)
                return


def _work() -> None:
    idle_since = time.monotonic()
    patience = float(os.environ.get("EPSILON_WORKER_IDLE_SECONDS", IDLE_SECONDS))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    while time.monotonic() - idle_since < patience:
        queue.reap()
        job = queue.claim()
        if job is None and rates() is None and time.monotonic() - idle_since > QUIET_SECONDS:
            one_thread()
            calibrate()
        if job is None:
            time.sleep(POLL_SECONDS)
            continue
        _run(job)
        for removed in prune():
            logging.info("job %s: %s", removed.job.id, REMOVED)
        idle_since = time.monotonic()


def _run(job: queue.Job) -> None:
    """Watch over one job until its process has ended, and write down how."""
    logging.info("job %s begins", job.id)
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    process = context.Process(target=train_job, args=(job.folder, job.request, os.getpid()))
    process.start()
    queue.set_pid(job.id, process.pid)
    kill_at: float | None = None
    try:
        while process.is_alive():
            process.join(POLL_SECONDS)
            if kill_at is None and queue.get(job.id).status == "cancelling":
                process.terminate()
                kill_at = time.monotonic() + GRACE_SECONDS
            if kill_at is not None and time.monotonic() > kill_at:
                process.kill()
    except SystemExit:
        process.kill()
        queue.move(job.id, "interrupted", "the worker was told to stop; what was trained is kept")
        raise
    _finish(job, process)


def _finish(job: queue.Job, process: BaseProcess) -> None:
    queue.set_pid(job.id, None)
    path = job.folder / OUTCOME
    if path.exists():
        outcome = json.loads(path.read_text())
    elif process.exitcode == DISK_FULL:
        outcome = {"status": "failed", "message": disk_full()}
    elif process.exitcode == -signal.SIGKILL:
        outcome = {
            "status": "interrupted",
            "message": "the training process was killed; what it trained is kept",
        }
    else:
        outcome = {"status": "failed", "message": f"the training process crashed (code {process.exitcode})"}
    if queue.get(job.id).status == "cancelling" and outcome["status"] != "completed":
        outcome = {"status": "cancelled", "message": ""}
    logging.info("job %s ends: %s", job.id, outcome["status"])
    queue.move(job.id, outcome["status"], outcome["message"])


def _warm_up() -> None:
    """Import now what every job needs, before there is one."""
    import sklearn.datasets  # noqa: F401
    import torch  # noqa: F401

    import ldp_core.simulate  # noqa: F401

    load("digits")


def _lock() -> FileLock:
    return FileLock(runs_dir() / "worker.lock", timeout=30)


def _register_path() -> Path:
    return runs_dir() / "worker.json"


def _register(pid: int) -> None:
    number, since = identity(pid)
    _register_path().write_text(json.dumps({"pid": number, "since": since}))


def _registered_alive() -> bool:
    try:
        noted = json.loads(_register_path().read_text())
        return is_alive(noted["pid"], noted["since"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


if __name__ == "__main__":
    main()
