"""Running out of memory ends one job with a sentence, not the server.

The limit is on what a process writes to (RLIMIT_DATA) and not on its addresses (RLIMIT_AS): torch
and its threads reserve far more of those than they fill, and CUDA reserves all that there are. On a
GPU there is no limit.
"""

from __future__ import annotations

import errno
import re
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")


def limit(bytes_more: int) -> None:
    """Let this process, and each that it starts, fill so many bytes more than it has now (on Linux)."""
    if sys.platform != "linux":
        return
    import resource

    now = re.search(r"^VmData:\s+(\d+) kB", STATUS.read_text(), re.MULTILINE)
    if now is None:
        return
    most = int(now[1]) * 1024 + bytes_more
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def ran_out(error: BaseException) -> bool:
    """True for an error that says so, in whichever library's words."""
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or type(error).__name__ == "OutOfMemoryError"  # torch's, on a GPU
        or (isinstance(error, RuntimeError) and "can't allocate memory" in str(error))
    )
