"""A lock on a file that the kernel takes back when whoever holds it dies, however that happens.

It belongs to the open file (Linux: an open file description lock), so it counts in every namespace and in
every container that sees the same file, a network file system that keeps locks passes it on to other
machines, and to ask whether it is held takes nothing from anybody.
"""

from __future__ import annotations

import errno
import os
import struct
import tempfile
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]
msvcrt: Any = import_module("msvcrt") if find_spec("msvcrt") else None
FAR = 2**30
"""Where a byte is locked on Windows, beyond what is there: nobody else may read what is locked."""

LAYOUT = "hhqqi4x"
"""struct flock: type, whence, start, length (0: all), process."""
BY_OPEN_FILE = fcntl is not None and hasattr(fcntl, "F_OFD_SETLK")
HELD_BY_ANOTHER = (BlockingIOError, PermissionError)
_kept: set[int] = set()
"""What this process holds; a forked child lets go of it, or the lock would outlive its holder."""


def take(file: int) -> bool:
    """Hold the lock of an open file from now on; False if somebody else holds it.

    Raises:
        OSError: its file system has no locks.
    """
    try:
        if BY_OPEN_FILE:
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack(LAYOUT, fcntl.F_WRLCK, 0, 0, 0, 0))
        elif fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            _lock_far_byte(file, "LK_NBLCK")
    except HELD_BY_ANOTHER:
        return False
    _kept.add(file)
    return True


def keep(file: int) -> None:
    """Hold what was handed over: the process that started this one has taken it."""
    os.set_inheritable(file, False)
    _kept.add(file)


def let_go(file: int) -> None:
    """Close a file, and so give its lock back."""
    _kept.discard(file)
    os.close(file)


def is_taken(file: int) -> bool:
    """True while somebody (this process, by another opening of the file, too) holds its lock.

    Raises:
        OSError: its file system has no locks.
    """
    if BY_OPEN_FILE:
        asked = struct.pack(LAYOUT, fcntl.F_WRLCK, 0, 0, 0, 0)
        return bool(struct.unpack(LAYOUT, fcntl.fcntl(file, fcntl.F_OFD_GETLK, asked))[0] != fcntl.F_UNLCK)
    try:
        if fcntl is None:
            _lock_far_byte(file, "LK_NBLCK")
        else:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except HELD_BY_ANOTHER:
        return True
    if fcntl is None:
        _lock_far_byte(file, "LK_UNLCK")
    else:
        fcntl.flock(file, fcntl.LOCK_UN)
    return False


def _lock_far_byte(file: int, how: str) -> None:
    if msvcrt is None:
        raise OSError(errno.ENOLCK, "this system has none")
    before = os.lseek(file, 0, os.SEEK_CUR)
    os.lseek(file, FAR, os.SEEK_SET)
    try:
        msvcrt.locking(file, getattr(msvcrt, how), 1)
    finally:
        os.lseek(file, before, os.SEEK_SET)


def missing(folder: Path) -> str:
    """Why a folder's file system cannot be trusted with locks; "" where one that is taken is seen.

    Raises:
        OSError: no file can be made there.
    """
    mine, name = tempfile.mkstemp(prefix=".lock-", dir=folder)
    try:
        theirs = os.open(name, os.O_RDWR)
        try:
            seen = take(mine) and is_taken(theirs)
        except OSError as error:
            return error.strerror or "no locks"
        finally:
            os.close(theirs)
        return "" if seen else "one that is held is not seen"
    finally:
        let_go(mine)
        with suppress(OSError):
            Path(name).unlink()


def _let_go_of_all() -> None:
    for file in _kept:
        with suppress(OSError):
            os.close(file)
    _kept.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_of_all)
