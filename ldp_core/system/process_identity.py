"""Whether a process that was noted down still lives.

A pid alone may have been given to another process since; with its start time it names one process.
On Linux that time is counted from the machine's start, which setting the clock does not move. All of it
means something only where the numbers are the same: on one machine since it was started, and in one
namespace of processes (every container has its own). `space` names that place.
"""

from __future__ import annotations

import socket
import sys
from functools import cache
from pathlib import Path

import psutil


def identity(pid: int | None = None) -> tuple[int, float]:
    """The pid and start time of a process (by default this one)."""
    process = psutil.Process(pid)
    return process.pid, _started(process)


@cache
def boot() -> str:
    """This machine since its last start: containers on it share it."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:  # not Linux
        return socket.gethostname()


@cache
def space() -> str:
    """Where the numbers of processes mean what they mean here: this boot, and this namespace."""
    try:
        return f"{boot()}-{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return boot()


def is_alive(pid: int | None, since: float | None) -> bool:
    """True while the process with this pid and start time runs."""
    if pid is None or since is None:
        return False
    try:
        process = psutil.Process(pid)
        return abs(_started(process) - since) < 1.0 and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, TypeError, ValueError, OverflowError):
        return False  # or never was one: the queue was damaged
    except (OSError, psutil.AccessDenied):
        return True  # nobody can tell: better one that is waited for than one that is taken for dead


def _started(process: psutil.Process) -> float:
    """Clock ticks since the machine's start on Linux, seconds since 1970 elsewhere."""
    if sys.platform != "linux":
        return process.create_time()
    try:
        # the name, in brackets, may itself hold spaces and brackets
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        raise psutil.NoSuchProcess(process.pid) from None
    return float(fields[19])
