"""The worker: a detached process that takes jobs from the queue, one after another.

It outlives the page, the browser and the server that started it, keeps torch imported so that the
next job begins at once, and gives every job a process of its own, so that a crash or a cancelled
run takes nothing else along. At most one worker runs for a runs folder: it holds a lock file, which
the system releases however the worker ends.
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

from filelock import FileLock, Timeout

from ldp_core.runs import queue
from ldp_core.runs.drive import load
from ldp_core.runs.paths import data_dir, runs_dir
from ldp_core.runs.training import OUTCOME, train_job

POLL_SECONDS = 0.05
GRACE_SECONDS = 2.0
"""A job that is cancelled has this long to finish its step before it is killed."""
IDLE_SECONDS = 600.0
"""A worker without work stays warm this long."""


def ensure_worker() -> None:
    """Start a worker unless one is running; returns at once."""
    try:
        with _lock(0):
            pass
    except Timeout:
        return
    log = (runs_dir() / "worker.log").open("ab")
    try:
        subprocess.Popen(
            [sys.executable, "-m", "ldp_core.runs.worker"],
            cwd=Path(__file__).parents[2],
            env=os.environ | {"EPSILON_RUNS_DIR": str(runs_dir()), "EPSILON_DATA_DIR": str(data_dir())},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    finally:
        log.close()


def main() -> None:
    """Work until the queue has been empty for a while; leave at once if another worker is there."""
    logging.basicConfig(format="%(asctime)s %(process)d %(levelname)s %(message)s", level=logging.INFO)
    while True:
        try:
            with _lock(2.0):  # longer than anybody holds it who only asks whether a worker is there
                _warm_up()
                _work()
        except Timeout:
            return
        # a job may have come between the last look at the queue and the release of the lock
        if not queue.find("status = 'queued'", most=1):
            return


def _work() -> None:
    idle_since = time.monotonic()
    patience = float(os.environ.get("EPSILON_WORKER_IDLE_SECONDS", IDLE_SECONDS))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    while time.monotonic() - idle_since < patience:
        queue.reap()
        job = queue.claim()
        if job is None:
            time.sleep(POLL_SECONDS)
            continue
        _run(job)
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
        queue.move(job.id, "interrupted", "the worker was told to stop")
        raise
    _finish(job, process)


def _finish(job: queue.Job, process: BaseProcess) -> None:
    queue.set_pid(job.id, None)
    path = job.folder / OUTCOME
    if path.exists():
        outcome = json.loads(path.read_text())
    elif process.exitcode == -signal.SIGKILL:
        outcome = {"status": "interrupted", "message": "the training process was killed"}
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


def _lock(wait_seconds: float) -> FileLock:
    return FileLock(runs_dir() / "worker.lock", timeout=wait_seconds)


if __name__ == "__main__":
    main()
