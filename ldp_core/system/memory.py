"""Memory of processes: allocation in server and workers, and a limit per job.

The limit is on written memory (RLIMIT_DATA), not on addresses (RLIMIT_AS): torch and its threads reserve far
more addresses than they use, and CUDA reserves all. With a GPU there is no limit.
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
"""Priorities of being killed when memory runs out: training processes, then their supervisor."""
M_ARENA_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD = -8, -3, -1
"""Constants of glibc's malloc.h."""
LARGE = 64 * 1024
"""Size in bytes from which on blocks are returned to the system once freed."""

MOST = 2**30
"""Size in bytes of blocks, or of free space, from which on even computing processes return memory."""


def share_one_heap() -> None:
    """Let all threads allocate from one heap, and large blocks from the system (glibc).

    The server draws pages in separate threads; with separate heaps fragmentation adds up, and as Python's
    threads take turns one heap causes no waiting.
    """
    _set({M_ARENA_MAX: 1, M_MMAP_THRESHOLD: LARGE})


def keep_what_is_freed() -> None:
    """Reuse freed memory for large arrays (glibc), in computing processes. Otherwise each is mapped anew and
    its pages cleared on first use: 45 % of the time of an attack by likelihoods.
    """
    _set({M_MMAP_THRESHOLD: MOST, M_TRIM_THRESHOLD: MOST})


def _set(options: dict[int, int]) -> None:
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        for option, value in options.items():
            libc.mallopt(option, value)


def be_given_up(share: int) -> None:
    """Raise the chance that this process and its children are killed first when memory runs out (Linux), from
    0 for an ordinary process to 1000 for the first to be killed.
    """
    with suppress(OSError):  # not Linux, or not ours to say
        SCORE.write_text(str(share))


def limit(bytes_more: int) -> None:
    """Limit this process, and each of its children, to so many bytes more than it uses now (Linux)."""
    if sys.platform != "linux":
        return
    import resource

    if now := re.search(r"^VmData:\s+(\d+) kB", STATUS.read_text(), re.MULTILINE):
        most = int(now[1]) * 1024 + bytes_more
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if hard == resource.RLIM_INFINITY or most < hard:
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def give_back(device: torch.device) -> None:
    """Release PyTorch's cached GPU memory, which is too fragmented for large blocks."""
    if device.type == "cuda":
        import torch

        torch.cuda.empty_cache()


def ran_out(error: BaseException) -> bool:
    """True for an error of any library that means out of memory."""
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or type(error).__name__ == "OutOfMemoryError"  # torch's, on a GPU
        or (isinstance(error, RuntimeError) and "can't allocate memory" in str(error))
    )
