"""Lower priority of training processes relative to the server."""

from __future__ import annotations

import os
import time
from pathlib import Path

NICENESS = 10
TRIES = 20
AUTOGROUP = Path("/proc/self/autogroup")
"""Linux divides time between sessions first, each with a niceness of its own."""


def give_way() -> None:
    """Lower the priority of this process and its children; repeatable, and needed after every setsid()."""
    if hasattr(os, "getpriority"):
        os.nice(max(0, NICENESS - os.getpriority(os.PRIO_PROCESS, 0)))
    for _ in range(TRIES):
        try:
            AUTOGROUP.write_text(str(NICENESS))
            return
        except BlockingIOError:  # who is not root may do so ten times a second, all processes together
            time.sleep(0.05 + os.getpid() % 20 / 100)
        except OSError:  # no such thing here, or not for us to change
            return
