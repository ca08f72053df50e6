"""Training gives way to the server that shows it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

NICENESS = 10
AUTOGROUP = Path("/proc/self/autogroup")
"""Linux shares time between sessions first, and only within one by niceness; a session has its own."""


def give_way() -> None:
    """Let this process and what it starts wait for all that is not as patient; may be said again.

    To be said after every setsid(), which begins a new session.
    """
    if hasattr(os, "getpriority"):
        os.nice(max(0, NICENESS - os.getpriority(os.PRIO_PROCESS, 0)))
    with suppress(OSError):  # no such thing here, or not for us to change
        AUTOGROUP.write_text(str(NICENESS))
