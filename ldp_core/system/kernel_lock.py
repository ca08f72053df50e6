"""File locks that the kernel releases when their holder dies.

A lock belongs to the open file (Linux: open file description lock), so it works across namespaces and
containers with the same file, a network file system with locks shares it between machines, and testing it
does not release it.
"""

import fcntl
import os
import struct
import tempfile
from contextlib import suppress
from pathlib import Path

LAYOUT = "hhqqi4x"
"""Layout of struct flock: type, whence, start, length (0: all), process."""
BY_OPEN_FILE = hasattr(fcntl, "F_OFD_SETLK")
_kept: set[int] = set()
"""Descriptors of locked files; a forked child closes them, or the lock would outlive its holder."""


def take(file: int) -> bool:
    """Lock an open file; False if another process holds the lock, OSError if the file system has no locks."""
    try:
        if BY_OPEN_FILE:
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack(LAYOUT, fcntl.F_WRLCK, 0, 0, 0, 0))
        else:
            _flock(file, "LOCK_EX")
    except (BlockingIOError, PermissionError):
        return False
    _kept.add(file)
    return True


def keep(file: int) -> None:
    """Take over a lock that the parent process took and handed over as an open file."""
    os.set_inheritable(file, False)
    _kept.add(file)


def let_go(file: int) -> None:
    _kept.discard(file)
    os.close(file)


def is_taken(file: int) -> bool:
    """True while a process (this one through another opening included) holds the lock; OSError as `take`."""
    if BY_OPEN_FILE:
        asked = struct.pack(LAYOUT, fcntl.F_WRLCK, 0, 0, 0, 0)
        return bool(struct.unpack(LAYOUT, fcntl.fcntl(file, fcntl.F_OFD_GETLK, asked))[0] != fcntl.F_UNLCK)
    try:
        _flock(file, "LOCK_SH")
    except BlockingIOError:
        return True
    fcntl.flock(file, fcntl.LOCK_UN)
    return False


def _flock(file: int, how: str) -> None:
    fcntl.flock(file, getattr(fcntl, how) | fcntl.LOCK_NB)


def missing(folder: Path) -> str:
    """Why a folder's file system has no reliable locks; "" if it has; OSError if it takes no file."""
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
    while _kept:
        with suppress(OSError):
            os.close(_kept.pop())


os.register_at_fork(after_in_child=_let_go_of_all)
