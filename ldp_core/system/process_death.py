"""Children that end with their parent process."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Have the kernel end this process when its parent ends (Linux).

    Args:
        parent: pid of the parent; if it has ended already, this process exits at once, without exit handlers.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if hasattr(os, "getppid") and os.getppid() != parent:
        os._exit(1)  # it ended before the kernel was asked
