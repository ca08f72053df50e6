"""A training process and its children as one process group.

The group lets the supervisor end all of them; on Linux every forked process also dies with its parent, so
none remains if the worker is killed.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from multiprocessing.process import BaseProcess

from ldp_core.system.niceness import give_way
from ldp_core.system.process_death import die_with


def begin(parent: int) -> None:
    """Make this process a group leader; it and its descendants end when `parent` ends.

    Raises:
        SystemExit: the parent has ended already.
    """
    if hasattr(os, "setsid"):
        os.setsid()
    give_way()
    die_with(parent)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_note_parent, after_in_child=_die_with_noted)


_parent = 0


def _note_parent() -> None:
    global _parent
    _parent = os.getpid()


def _die_with_noted() -> None:
    die_with(_parent)


def has_ended(process: BaseProcess) -> bool:
    """True once a child has ended; it is not reaped yet, so its pid is not reused."""
    if not hasattr(os, "waitid") or process.pid is None:
        return not process.is_alive()
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def end(process: BaseProcess) -> None:
    """Kill a child with all its descendants, and reap it."""
    if process.pid is not None and hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):  # it has no group of its own yet
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()
