"""Which worker is at work for a runs folder, and how one is started.

Who starts one, and a worker that is about to leave, agree under a lock, so that there is one worker for a
folder and no job is ever left without. The server calls `ensure_worker`, and imports nothing of the
worker's loop for it.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path

from filelock import FileLock

from ldp_core.contract.registries import REGISTRIES
from ldp_core.runs.machine.slots import WORKER, count
from ldp_core.runs.storage import presence
from ldp_core.runs.storage.holding import Holder, own, refuse_without_locks
from ldp_core.runs.storage.paths import data_dir, runs_dir
from ldp_core.settings.secrets import without_secrets
from ldp_core.settings.table import DATA_DIR, RUNS_DIR
from ldp_core.system.json_file import read_json, write_json
from ldp_core.system.process_identity import space

STARTED = time.time()
PRESENT = "--present"
"""Of the worker's command: the number of a file that shows that it lives (`presence`)."""
LOG, LOG_BYTES = "worker.log", 10**7
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""A thread that OpenBLAS cannot start, for want of memory, is one that it waits for for ever."""
_started: list[subprocess.Popen[bytes]] = []
"""Workers that this process has started, kept so that the system can be told of their end."""


def ensure_worker(newest: bool = False) -> None:
    """Start a worker unless one is running; returns at once.

    Args:
        newest: let one of another version go, if it was wanted by somebody who began before this process.
            Whoever only looks does not ask for that, or two versions would never let each other begin.
    """
    with lock():
        if is_registered() and not (newest and _outdated()):
            return
        refuse_without_locks()
        path().with_name(f"{WORKER}.partial").write_text(" " * 200)  # no room: no process either
        _started[:] = [process for process in _started if process.poll() is None]
        _begin_a_new_log(runs_dir() / LOG)
        prepared = presence.prepare()
        handed = [prepared.file] if os.name == "posix" else []
        with presence.given(prepared), (runs_dir() / LOG).open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "ldp_core.runs.process.worker", PRESENT, *map(str, handed)],
                pass_fds=handed,
                cwd=Path(__file__).parents[3],
                env=without_secrets(os.environ)
                | ONE_THREAD
                | {RUNS_DIR.name: str(runs_dir()), DATA_DIR.name: str(data_dir())},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            prepared.become(process.pid)
        _started.append(process)
        register(process.pid, STARTED)


def _begin_a_new_log(path: Path) -> None:
    """Once it is long; of those before, one is kept."""
    with suppress(OSError):
        if path.stat().st_size > LOG_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))


def lock() -> FileLock:
    """To be held by whoever starts a worker, or leaves as one."""
    return FileLock(runs_dir() / "worker.lock", timeout=30)


def path() -> Path:
    """Where the worker of this runs folder is noted."""
    return runs_dir() / WORKER


def register(pid: int, wanted: float) -> None:
    """Note a worker; `wanted` is when the process began that asked for it."""
    noted = asdict(own(pid)) | {"program": program(), "wanted": wanted, "slots": count()}
    write_json(path(), noted)


def registered() -> Holder | None:
    """The worker that is noted, whether it lives or not."""
    try:
        noted = read_json(path())
        where = str(noted.get("space") or space())  # one of an earlier version says nothing of it
        return Holder(int(noted["pid"]), float(noted["since"]), where, str(noted.get("host", "")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return None


def is_own() -> bool:
    """True if this process is the worker that is noted."""
    noted, me = registered(), own()
    return noted is not None and (noted.pid, noted.since, noted.space) == (me.pid, me.since, me.space)


def is_replaced() -> bool:
    """True once another worker is noted in this one's place, and lives."""
    noted = registered()
    return noted is not None and not is_own() and presence.lives(noted)


def _outdated() -> bool:
    """True if the worker is of another version, and whoever wanted it began before this process did: so of
    two servers of different versions the one that was started last has its way.
    """
    try:
        noted = read_json(path())
        return noted.get("program") != program() and wanted() < STARTED
    except (OSError, ValueError, AttributeError):
        return False


@cache
def program() -> str:
    """A digest of the source as this process first saw it, and of what is plugged in: files may be replaced
    while it runs.
    """
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parents[2].rglob("*.py")):
        digest.update(file.read_bytes())
    for registry in REGISTRIES.values():
        digest.update(" ".join(registry.kind(name).plugin for name in registry.names()).encode())
    return digest.hexdigest()[:12]


def wanted() -> float:
    """When the process began that asked for the worker that is noted."""
    try:
        return float(read_json(path())["wanted"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return 0.0


def is_registered() -> bool:
    """True if a worker is noted, and lives."""
    noted = registered()
    return noted is not None and presence.lives(noted)
