"""Liveness of processes by kernel locks on files in the folder of runs, across containers. A process holds a
lock for each computation at work; the worker holds `worker.lock` while it lives. The holder of a long lock
writes its identity and a heartbeat every second into the file: stopped (SIGSTOP) or hanging in the kernel,
it keeps the lock and writes none.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil
from pydantic import TypeAdapter, ValidationError

from ldp_core.errors import StorageFailed
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.system import kernel_lock

WORKER = "worker.lock"
BEAT_BYTES = 32
"""Length of the heartbeat in the file: a time by the holder's clock, never compared with another clock."""
ASKED_AT = 2048
"""Position in the file of the token of the holder that is asked to leave."""
BEAT_SECONDS = 1.0
STALLED_SECONDS = 15.0
"""Time without heartbeat after which a process counts as stalled."""
SURE_SECONDS = 5 * BEAT_SECONDS
"""Least interval between two equal observations of a heartbeat; a file's date alone proves nothing."""
MOST_FILES = 1000
_seen: dict[Path, tuple[bytes, float, float]] = {}
"""Last heartbeat by file, the time of its first observation here, and its apparent age then."""


@dataclass(frozen=True)
class Holder:
    """A process that holds a lock, as it describes itself in the file; the last three are a worker's."""

    pid: int
    host: str
    token: str
    beats: bool = False
    program: str = ""
    wanted: float = 0.0
    slots: int = 0

    @property
    def here(self) -> bool:
        """True if the holder's pid is valid in this process's container."""
        return self.host == socket.gethostname()

    def in_words(self) -> str:
        elsewhere = f" of host {self.host[:60]!r}, in another container or on another machine"
        return f"process {self.pid}{'' if self.here else elsewhere}"


HOLDER = TypeAdapter(Holder)


class Held:
    """A lock that this process holds until `close` or its death; one without heartbeats has no content."""

    def __init__(self, path: Path, file: int, **said: Any) -> None:
        self.path, self.file = path, file
        self.who = Holder(os.getpid(), socket.gethostname(), secrets.token_hex(8), **said)
        self._one, self._closed = threading.Lock(), threading.Event()
        os.ftruncate(file, 0)
        if self.who.beats:
            os.pwrite(file, _now() + f"{json.dumps(asdict(self.who))}\n".encode(), 0)
            threading.Thread(target=self._beat, daemon=True, name="signs of life").start()

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self, remove: bool = False) -> None:
        if remove:
            self.path.unlink(missing_ok=True)
        self._closed.set()
        with self._one:  # its number may be another file's from here on
            kernel_lock.let_go(self.file)

    def is_to_go(self) -> bool:
        """True if another process asked this one to leave (`ask_to_go`), or if the file was replaced."""
        with suppress(OSError):  # unknown now
            asked = os.pread(self.file, len(self.who.token), ASKED_AT)
            return asked == self.who.token.encode() or not _is_still(self.file, self.path)
        return False

    def _beat(self) -> None:
        while not self._closed.wait(BEAT_SECONDS):
            with self._one, suppress(OSError):  # a full disk is no death
                if not self._closed.is_set():
                    os.pwrite(self.file, _now(), 0)


def _now() -> bytes:
    return f"{time.monotonic():<{BEAT_BYTES - 1}.3f}\n".encode()


def hold(path: Path, **said: Any) -> Held | None:
    """Lock a file in an existing folder; None if another process has. OSError if that is unknown."""
    if (file := taken(path)) is None:
        return None
    try:
        return Held(path, file, **said)
    except BaseException:
        kernel_lock.let_go(file)
        raise


def taken(path: Path) -> int | None:
    """Descriptor of a newly locked file; None if another process holds the lock. Errors as for `hold`."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
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
    """True while a living process holds the lock, or if that cannot be determined."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            return kernel_lock.is_taken(file)
        finally:
            os.close(file)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def holder(path: Path) -> Holder | None:
    """Process that holds the lock, as written in the file; None for a free lock or a file without content."""
    try:
        said = path.read_bytes()[BEAT_BYTES:].partition(b"\n")[0]
        return HOLDER.validate_json(said) if is_held(path) else None
    except (OSError, ValidationError):
        return None


def stands_still(path: Path) -> float:
    """Seconds since the holder's last heartbeat if they exceed the limit; else, and on the first look, 0."""
    who = holder(path)
    try:
        with path.open("rb") as file:
            said, written = file.read(BEAT_BYTES), os.fstat(file.fileno()).st_mtime
    except OSError:
        who = None
    if who is None or not who.beats:
        _seen.pop(path, None)
        return 0.0
    now = time.monotonic()
    if path not in _seen or _seen[path][0] != said:
        for oldest in [*_seen][:-MOST_FILES]:
            _seen.pop(oldest, None)
        _seen[path] = (said, now, max(0.0, time.time() - written))
        return 0.0
    _, first, age = _seen[path]
    silent = now - first + age
    still = now - first >= SURE_SECONDS and silent >= STALLED_SECONDS and not is_waiting(who)
    return silent if still else 0.0


def is_waiting(who: Holder) -> bool:
    """True if a silent process is neither stopped nor hanging in the kernel, as far as can be seen from here:
    it waits for the processor, on a machine that is overloaded.
    """
    if not who.here:
        return False
    with suppress(psutil.Error):
        return bool(psutil.Process(who.pid).status() in (psutil.STATUS_RUNNING, psutil.STATUS_SLEEPING))
    return False


def look_twice(paths: Collection[Path]) -> None:
    for path in paths:
        stands_still(path)
    if any(path in _seen and _seen[path][2] >= STALLED_SECONDS for path in paths):
        time.sleep(SURE_SECONDS)


def worker() -> Holder | None:
    return holder(runs_dir() / WORKER)


def ask_to_go(path: Path, token: str) -> None:
    with suppress(OSError), path.open("r+b") as file:
        file.seek(ASKED_AT)
        file.write(token.encode())


def refuse_without_locks() -> None:
    with suppress(OSError):  # full, or read-only: the next write says so
        if why := kernel_lock.missing(runs_dir()):
            raise StorageFailed(
                f"the folder of runs lies on a file system without locks ({why}), where two programs could "
                "write one record; name a folder on a disk of this machine in EPSILON_RUNS_DIR"
            )
