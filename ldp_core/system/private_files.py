"""Files that only this user can change, since they are executed with this user's rights.

As ssh does: the file, its folder and all parent folders belong to this user or root, and are not writable for
group and others; a parent may be if only owners may rename in it (sticky bit, as in /tmp). Access control
lists count, as the group's bits show their maximum.
"""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

OTHERS = stat.S_IWGRP | stat.S_IWOTH
_closed = list[None]()
"""One item per active `unwritten` context of this process."""


@contextmanager
def unwritten() -> Iterator[None]:
    """Context in which `write` does nothing."""
    _closed.append(None)
    try:
        yield
    finally:
        _closed.pop()


def open_to_others(folder: Path) -> str:
    """Why other users may write in a folder; "" if they cannot."""
    if not hasattr(os, "geteuid"):
        return "this system does not tell who else can write there"
    return _open_to_others(folder, (os.geteuid(),), OTHERS)


def changeable(file: Path) -> str:
    """Why other users may change a file that is to be run; "" if they cannot, as far as
    this system tells. Root may own it, and the own primary group may write it, as with a umask of 002.
    """
    if not hasattr(os, "geteuid"):
        return ""
    return _open_to_others(file, (os.geteuid(), 0), stat.S_IWOTH, os.getegid())


def _open_to_others(path: Path, owners: tuple[int, ...], bits: int, group: int = -1) -> str:
    place = path.resolve(strict=True)
    for one in (place, *place.parents):
        about = one.stat()
        if about.st_uid not in (owners if one == place else (os.geteuid(), 0)):
            return f"{one} belongs to another user"
        written = about.st_mode & (bits if about.st_gid == group else OTHERS)
        if written and (one == place or not about.st_mode & stat.S_ISVTX):
            return f"other users can write to {one}"
    return ""


def read(file: Path) -> bytes | None:
    """Content of a file; None if it is missing, a link, or writable for others."""
    try:
        folder = file.parent.resolve(strict=True)
        if open_to_others(folder):
            return None
        opened = os.open(folder / file.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(opened, "rb") as stream:
            about = os.fstat(opened)
            own = about.st_uid == os.geteuid() and not about.st_mode & OTHERS
            return stream.read() if own and stat.S_ISREG(about.st_mode) else None
    except OSError:
        return None


def write(file: Path, content: bytes) -> None:
    """Write a file atomically, unless that fails or another user can write there."""
    if _closed:
        return
    with suppress(OSError):
        for one in reversed((file.parent, *file.parent.parents)):
            if not one.exists():
                one.mkdir(mode=0o700, exist_ok=True)
        folder = file.parent.resolve(strict=True)
        if open_to_others(folder):
            return
        part = folder / f"{file.stem}.{secrets.token_hex(8)}"
        opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(opened, "wb") as stream:
                stream.write(content)
            part.replace(folder / file.name)
        finally:
            part.unlink(missing_ok=True)
