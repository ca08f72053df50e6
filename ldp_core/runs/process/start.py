"""Start of a worker process, without importing the worker's loop in the server.

The starter takes the worker's lock and hands it over as an open file, so that concurrent starters never start
two. A worker of another program version is asked to leave, and a new one waits for its end.
"""

import hashlib
import os
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from ldp_core.contract.registries import REGISTRIES
from ldp_core.runs.storage import locks_and_heartbeats as locks
from ldp_core.runs.storage.paths import data_dir, runs_dir
from ldp_core.settings import DATA_DIR, RUNS_DIR, without_secrets
from ldp_core.system import kernel_lock

STARTED = time.time()
LOG, LOG_BYTES = "worker.log", 10**7
_started: list[subprocess.Popen[bytes]] = []
"""Worker processes started by this process, kept to be reaped."""


def ensure_worker(newest: bool = False) -> None:
    """Start a worker unless one runs; returns at once.

    With `newest`, a worker of another version is replaced, if a process that began before this one started
    it: of two servers of different versions the later one prevails. Raises StorageFailed where the disk has
    no file locks, and OSError where no process can be started or nothing can be written.
    """
    path = runs_dir() / locks.WORKER
    _started[:] = [process for process in _started if process.poll() is None]
    if locks.is_held(path):
        old = locks.worker() if newest else None
        if old and old.program != program() and old.wanted < STARTED and not _started:
            locks.ask_to_go(path, old.token)
            _start("--wait")
        return
    locks.refuse_without_locks()
    file = locks.taken(path)
    if file is None:  # another process was quicker
        return
    try:
        os.ftruncate(file, os.pwrite(file, b" " * 400, 0))  # no room: no process either
        _start("--lock", str(file), hand=[file])
    finally:
        kernel_lock.let_go(file)


def _start(*arguments: str, hand: list[int] | None = None) -> None:
    path = runs_dir() / LOG
    with suppress(OSError):
        if path.stat().st_size > LOG_BYTES:
            path.replace(path.with_name(f"{LOG}.1"))  # one earlier log is kept
    with path.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "ldp_core.runs.process.worker", "--wanted", str(STARTED), *arguments],
            pass_fds=hand or [],
            cwd=Path(__file__).parents[3],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    _started.append(process)


def environment() -> dict[str, str]:
    """Environment of a process that computes: no secrets, and OpenBLAS, which hangs if it cannot start a
    thread for lack of memory, with one.
    """
    folders = {RUNS_DIR.name: str(runs_dir()), DATA_DIR.name: str(data_dir())}
    return without_secrets(os.environ) | {"OPENBLAS_NUM_THREADS": "1"} | folders


@cache
def program() -> str:
    """Digest of source and plug-ins as this process first read them: files may be replaced while it runs."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parents[2].rglob("*.py")):
        digest.update(file.read_bytes())
    plugged = {one.kind(name).plugin for one in REGISTRIES.values() for name in one.names()}
    digest.update(" ".join(sorted(plugged)).encode())
    return digest.hexdigest()[:12]
