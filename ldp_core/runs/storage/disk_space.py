"""Free disk space, and a reserve file: on a full disk, even noting a deletion takes the room of it."""

import errno
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import TypeVar

from ldp_core.errors import DiskFull, StorageFailed
from ldp_core.runs.storage.paths import runs_dir

T = TypeVar("T")
RESERVE = 2**20
"""Size of the reserve file, enough to store a job's end and the deletion of records."""
SPARE = 10**9
"""Free bytes without which no job is launched, however small."""
LEAST = 10 * 2**20
"""Free bytes without which no queued job begins; the rest is for running jobs."""
LEAST_FILES = 50
"""Free inodes without which the disk counts as full."""
FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


def is_full(error: BaseException) -> bool:
    name = getattr(error, "sqlite_errorname", "")
    # no journal can be made where there is room for no more files
    by_sqlite = name in ("SQLITE_FULL", "SQLITE_IOERR_WRITE") or (name == "SQLITE_CANTOPEN" and not _free())
    return by_sqlite or isinstance(error, DiskFull) or getattr(error, "errno", None) in FULL


def refuse_a_full_disk(needed: int) -> None:
    free, asked = _free(), max(2 * needed, SPARE)
    if out_of_files():
        raise StorageFailed("the disk takes no more files (its inodes are used up); delete some of any kind")
    if free < asked:
        raise StorageFailed(
            f"the disk is nearly full: {free / 1e6:.0f} MB are free, and {asked / 1e6:.0f} MB must be, "
            f"twice what this needs ({needed / 1e6:.1f} MB) and {SPARE / 1e9:.0f} GB at least; "
            "delete some runs, or make room otherwise"
        )


def is_tight() -> bool:
    return _free() < SPARE


def shortage() -> str:
    """Why no queued job can begin (disk full); "" if there is room."""
    return "" if _free() >= LEAST else "the disk is full"


def full_disk(needed: int) -> str:
    """Message for a job that ran out of disk space; it needs so many bytes in all, 0 if unknown."""
    asked = f"this needs up to {needed / 1e6:.1f} MB, and " if needed else ""
    free = max(0, _free() - (0 if _path().exists() else RESERVE))  # what is kept back is no job's
    had = "there was less" if free > max(needed, LEAST) else f"{free / 1e6:.1f} MB are free"
    return (
        f"the disk is full: {asked}{had}; what was trained is kept: delete some runs, or make room "
        "otherwise, and go on where it stopped"
    )


def keep_back() -> None:
    with suppress(OSError):
        if _path().lstat().st_size == RESERVE:
            return
    give_up()
    try:
        # zeros are written, and not promised: not every file system can promise
        with _path().open("xb") as file:
            file.write(bytes(RESERVE))
    except OSError:
        give_up()


def with_reserve(change: Callable[[], T]) -> T:
    """Result of a change that must find room on a full disk too: there it is made in that of the reserve."""
    with suppress(DiskFull):
        return change()
    give_up()
    return change()


def give_up() -> None:
    with suppress(OSError):
        _path().unlink(missing_ok=True)


def _path() -> Path:
    return runs_dir() / "reserve"


def out_of_files() -> bool:
    """Whether nearly all inodes are used: a journal needs one, and so does whatever else is written."""
    with suppress(OSError):
        about = os.statvfs(runs_dir())
        return about.f_files > 0 and about.f_favail < LEAST_FILES
    return False


def _free() -> float:
    """Free bytes, 0 without free inodes; infinitely many where unknown: what begins finds out itself."""
    with suppress(OSError):
        if out_of_files():
            return 0
        return shutil.disk_usage(runs_dir()).free
    return inf
