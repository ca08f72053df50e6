"""Whether a process that was noted down still lives.

A pid alone may have been given to another process since; with its start time it names one process.
"""

from __future__ import annotations

import psutil


def identity(pid: int | None = None) -> tuple[int, float]:
    """The pid and start time of a process (by default this one)."""
    process = psutil.Process(pid)
    return process.pid, process.create_time()


def is_alive(pid: int | None, since: float | None) -> bool:
    """True while the process with this pid and start time runs."""
    if pid is None or since is None:
        return False
    try:
        process = psutil.Process(pid)
        return abs(process.create_time() - since) < 1.0 and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
