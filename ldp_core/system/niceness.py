"""Training gives way to the server that shows it."""

from __future__ import annotations

import os
import time
from pathlib import Path

NICENESS = 10
TRIES = 20
AUTOGROUP = Path("/proc/self/autogroup")
"""Linux shares time between sessions first, and only within one by niceness; a session has its own."""


def give_way() -> None:
    """Let this process and what it starts wait for all that is not as patient; may be said again.

    To be said after every setsid(), which begins a new session.
    """
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
