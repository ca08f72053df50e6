"""No process is left behind: a child ends with the process that started it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Ask the kernel to end this process when its parent ends, however that happens (Linux only).

    Args:
        parent: the process that has started this one; if it is gone already, this one ends at once, without
            a word and without what a forked copy of another program would do at its end.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if hasattr(os, "getppid") and os.getppid() != parent:
        os._exit(1)  # it ended before the kernel was asked
