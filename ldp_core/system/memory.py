"""Memory of processes: the server's holds, and running out of it ends one job with a sentence.

The limit of a job is on what a process writes to (RLIMIT_DATA) and not on its addresses (RLIMIT_AS): torch
and its threads reserve far more of those than they fill, and CUDA reserves all that there are. On a
GPU there is no limit.
"""

from __future__ import annotations

import ctypes
import errno
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

STATUS = Path("/proc/self/status")
SCORE = Path("/proc/self/oom_score_adj")
FIRST, SECOND = 1000, 500
"""What trains is given up first, and who watches over it second."""
M_ARENA_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD = -8, -3, -1
"""As glibc's malloc.h has them."""
LARGE = 64 * 1024
"""Bytes from which a block is given back to the system as soon as it is free: a view of a run is larger."""

MOST = 2**30
"""Bytes of one block, and of what lies free at the heap's end, from which they are given back even where what
is freed is kept."""


def share_one_heap() -> None:
    """Have all threads take memory from one heap, and large blocks from none (with glibc).

    The server draws each view of a page in a thread of its own. With heaps of their own, holes in each of
    them add up; and as Python's threads take turns, one heap keeps none of them waiting.
    """
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(M_ARENA_MAX, 1)
        libc.mallopt(M_MMAP_THRESHOLD, LARGE)


def keep_what_is_freed() -> None:
    """Take memory for large arrays from where earlier ones lay (with glibc), in a process that computes.

    Else each is mapped anew and its pages cleared one by one at their first touch: of an attack that
    weighs every answer, that was 45 % of the time.
    """
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(M_MMAP_THRESHOLD, MOST)
        libc.mallopt(M_TRIM_THRESHOLD, MOST)


def be_given_up(share: int) -> None:
    """Raise this process's (and its children's) chance of being killed first when memory runs out (Linux).

    Args:
        share: 0 for a process like any other, 1000 for the first to go.
    """
    with suppress(OSError):  # not Linux, or not ours to say
        SCORE.write_text(str(share))


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


def give_back(device: torch.device) -> None:
    """Let go of what PyTorch keeps of a GPU's memory for later: in pieces it has room for nothing large."""
    if device.type == "cuda":
        import torch

        torch.cuda.empty_cache()


def ran_out(error: BaseException) -> bool:
    """True for an error that says so, in whichever library's words."""
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or type(error).__name__ == "OutOfMemoryError"  # torch's, on a GPU
        or (isinstance(error, RuntimeError) and "can't allocate memory" in str(error))
    )
