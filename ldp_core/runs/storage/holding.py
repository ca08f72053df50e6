"""Who holds a file of the folder of runs: by a lock of the kernel's, that every container and machine sees.

Whoever trains holds its record's, and whoever takes jobs from the queue has a file of its own, so that both
can be told from the dead where their process numbers mean nothing. In the file stands who it is, and when it
was last heard of.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ldp_core.errors import StorageFailed
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.system import kernel_lock, process_identity

WRITER = "writer.lock"
"""In a record's folder: held by whoever writes to it."""
BEAT_BYTES = 32
"""In which the time stands of the last sign of life; the rest is who it is."""
PROMISE = b"shows life"
"""Stands in the file of a process that notes signs of life for as long as it goes on (`heartbeat`)."""
PAUSE_SECONDS = 0.02


@dataclass(frozen=True)
class Holder:
    """A process, as others name it."""

    pid: int
    since: float
    space: str
    """The machine's boot and the namespace of the numbers above (`process_identity.space`)."""
    host: str = ""

    @property
    def here(self) -> bool:
        """True if its number means something to this process."""
        return self.space == process_identity.space()

    def in_words(self) -> str:
        """For whoever looks from here."""
        if self.here:
            return f"process {self.pid}"
        where = f" of host {self.host[:60]!r}" if self.host else ""
        return f"process {self.pid}{where}, in another container or on another machine"


class TakenBySomebody(StorageFailed):
    """A file that somebody else holds."""


def own(pid: int | None = None) -> Holder:
    """This process, or one that it has started."""
    number, since = process_identity.identity() if pid is None else process_identity.identity(pid)
    return Holder(number, since, process_identity.space(), socket.gethostname())


class Held:
    """A file that this process holds until it closes it or dies."""

    def __init__(self, path: Path, file: int, holder: Holder) -> None:
        self.path, self.file = path, file
        self._who = json.dumps(asdict(holder))
        self._one, self._open = threading.Lock(), True
        said = _now() + f"{self._who}\n".encode()
        os.ftruncate(file, os.pwrite(file, said, 0))

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self, remove: bool = False) -> None:
        """Let go of it; with `remove`, the file goes too."""
        if remove:
            self.path.unlink(missing_ok=True)
        with self._one:  # its number may be another file's from here on
            self._open = False
            kernel_lock.let_go(self.file)

    def show_life(self, promise: bool = False) -> bool:
        """Note that this process goes on; False once it has let go.

        Args:
            promise: that it will be noted again and again.
        """
        with self._one:
            if self._open:
                with suppress(OSError):  # a full disk is no death
                    os.pwrite(self.file, _now(), 0)
                    if promise:
                        who = self._who.encode() + b"\n" + PROMISE + b"\n"
                        os.pwrite(self.file, who, BEAT_BYTES)
            return self._open


def _now() -> bytes:
    """As it stands at the beginning of the file."""
    return f"{time.monotonic():<{BEAT_BYTES - 1}.3f}\n".encode()


def hold(path: Path, patience: float = 0.0) -> Held:
    """Hold a file, which is made if it is not there.

    Args:
        path: of the file; its folder is there.
        patience: seconds to wait for somebody who holds it.

    Raises:
        TakenBySomebody: they still do.
        OSError: it cannot be made or written, or its file system has no locks.
    """
    until = time.monotonic() + patience
    while (file := taken(path)) is None:
        if time.monotonic() > until:
            who = holder(path)
            raise TakenBySomebody(
                f"{who.in_words() if who else 'another process'} is at work in {path.parent.name} already; "
                "wait for its end, or stop it there"
            )
        time.sleep(PAUSE_SECONDS)
    return Held(path, file, own())


def taken(path: Path) -> int | None:
    """A file, open and locked; None if somebody else has it locked.

    Raises:
        OSError: it cannot be made, or its file system has no locks.
    """
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        try:
            got = kernel_lock.take(file)
            if got and _is_still(file, path):
                return file
        except BaseException:
            os.close(file)
            raise
        kernel_lock.let_go(file)
        if not got:
            return None  # or else it was removed since it was opened


def _is_still(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.lstat())
    except FileNotFoundError:
        return False


def is_held(path: Path) -> bool:
    """True while a process lives that holds this file; and where nobody can tell, for better one that is
    waited for than one that is taken for dead.
    """
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    try:
        return kernel_lock.is_taken(file)
    except OSError:
        return True
    finally:
        os.close(file)


def is_written(folder: Path) -> bool:
    """True while somebody writes the record in this folder."""
    return is_held(folder / WRITER)


def holder(path: Path) -> Holder | None:
    """Who holds a file, by its own words; None if nobody does, or it has not said so."""
    try:
        text = path.read_bytes()[BEAT_BYTES:].partition(b"\n")[0] if is_held(path) else b"null"
        said: Any = json.loads(text)
        return Holder(int(said["pid"]), float(said["since"]), str(said["space"]), str(said["host"]))
    except (OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError):
        return None


def refuse_without_locks() -> None:
    """Do nothing where the folder of runs lies on a file system whose locks can be trusted.

    Raises:
        StorageFailed: what to do where they cannot.
    """
    if why := _no_locks(runs_dir()):
        _no_locks.cache_clear()
        raise StorageFailed(
            f"the folder of runs lies on a file system without locks ({why}), where two programs could write "
            "one record; name a folder on a disk of this machine in EPSILON_RUNS_DIR"
        )


@cache
def _no_locks(folder: Path) -> str:
    try:
        return kernel_lock.missing(folder)
    except OSError:  # full, or read-only: whoever writes is told of that
        return ""
