"""A training process and its children: one process group of low priority, which ends with its parent.

The group lets the supervisor end all of them; on Linux every forked process also dies with its parent, so
none remains if the worker is killed.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.process import BaseProcess
from pathlib import Path

from ldp_core.system import preemption

NICENESS = 10
TRIES = 20
AUTOGROUP = Path("/proc/self/autogroup")
"""Linux divides time between sessions first, each with a niceness of its own."""
PR_SET_PDEATHSIG = 1
_parent = 0
STOPS = signal.SIGTERM, signal.SIGINT
HELD = {*STOPS, preemption.SIGNAL}


@contextmanager
def stops_held() -> Iterator[None]:
    """Context of a fork in which signals wait until the child is ready for them (`end_when_asked`): a handler
    of the parent's would note them there, and Python clears its notes at the end of the fork.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HELD)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_when_asked() -> None:
    """From now on SIGTERM and SIGINT end this process, those that `stops_held` held back included."""
    for number in STOPS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)


def begin(parent: int) -> None:
    """Make this process a group leader of low priority; it and its descendants end when `parent` ends."""
    os.setsid()
    give_way()
    die_with(parent)
    os.register_at_fork(before=_note_parent, after_in_child=lambda: die_with(_parent))


def _note_parent() -> None:
    global _parent
    _parent = os.getpid()


def give_way(niceness: int = NICENESS) -> None:
    """Lower the priority of this process and its children; repeatable, and needed after every setsid()."""
    os.nice(max(0, niceness - os.getpriority(os.PRIO_PROCESS, 0)))
    for _ in range(TRIES):
        try:
            AUTOGROUP.write_text(str(niceness))
            return
        except BlockingIOError:  # who is not root may do so ten times a second, all processes together
            time.sleep(0.05 + os.getpid() % 20 / 100)
        except OSError:  # no such thing here, or not for us to change
            return


def die_with(parent: int) -> None:
    """Have the kernel end this process when its parent ends (Linux); exits if it has ended already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it ended before the kernel was asked


def has_ended(process: BaseProcess) -> bool:
    """True once a child has ended; it is not reaped yet, so its pid is not reused."""
    if not hasattr(os, "waitid") or process.pid is None:  # macOS has none
        return not process.is_alive()
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def end(process: BaseProcess) -> None:
    """Kill a child with all its descendants, and reap it."""
    if process.pid is not None:
        with suppress(ProcessLookupError, PermissionError):  # it has no group of its own yet
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()
