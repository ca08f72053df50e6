"""Whether a process lives that a file names, be it in another container or on another machine.

Where its number means something here, the system is asked. Elsewhere it shows that it lives by holding a
file of its own.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ldp_core.runs.storage import heartbeat, holding
from ldp_core.runs.storage.holding import Held, Holder
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.system import kernel_lock, process_identity

_shown: dict[Path, Held] = {}
_one = threading.Lock()


def lives(who: Holder) -> bool:
    """True while this process lives."""
    if who.here:
        return process_identity.is_alive(who.pid, who.since)
    return holding.is_held(_path(who))


def show() -> Holder:
    """Have this process be seen to live, from wherever the folder of runs is seen; returns its name there.

    Raises:
        OSError: no file can be made there.
    """
    who = holding.own()
    path = _path(who)
    with _one:  # two threads of a server would each take the other one for a stranger
        if path not in _shown:
            path.parent.mkdir(exist_ok=True)
            _shown[path] = holding.hold(path)
    return who


class Prepared:
    """A file that is held for a process that is about to be started: so it is seen from its first moment."""

    def __init__(self, path: Path, file: int) -> None:
        self.path, self.file = path, file

    def become(self, pid: int) -> None:
        """It is that process's, which has inherited the open file, and stays held as long as that lives."""
        who = holding.own(pid)
        Held(self.path, self.file, who)
        self.path.replace(_path(who))


@contextmanager
def given(prepared: Prepared) -> Iterator[None]:
    """Around starting a process; after it, this one holds the file no longer."""
    try:
        yield
    finally:
        kernel_lock.let_go(prepared.file)
        prepared.path.unlink(missing_ok=True)


def prepare() -> Prepared:
    """Have a file ready for a process to come.

    Raises:
        OSError: none can be made.
    """
    folder = runs_dir() / "present"
    folder.mkdir(exist_ok=True)
    path = folder / f"to-come-{os.getpid()}"
    path.unlink(missing_ok=True)
    file = holding.taken(path)
    if file is None:
        raise BlockingIOError(f"{path.name} is held")
    return Prepared(path, file)


def take_over(file: int) -> None:
    """Be seen by what whoever started this process has prepared."""
    kernel_lock.keep(file)
    who = holding.own()
    _shown[_path(who)] = Held(_path(who), file, who)


def beat() -> None:
    """Note signs of life of this process, which is seen to live, until it vanishes."""
    with _one:
        for path, held in _shown.items():
            if path.parent == runs_dir() / "present":
                heartbeat.beat(held)


def stands_still(who: Holder) -> float:
    """Seconds for which a process has shown no sign of life, if they are too many; else 0."""
    return heartbeat.stands_still(_path(who))


def file_of(who: Holder) -> Path:
    """Where a process shows that it lives."""
    return _path(who)


def sweep() -> None:
    """Remove the files of those that have died."""
    for path in (runs_dir() / "present").glob("*"):
        with suppress(OSError):
            if (file := holding.taken(path)) is not None:
                path.unlink(missing_ok=True)
                kernel_lock.let_go(file)


def vanish() -> None:
    """Be seen no longer."""
    for path in [path for path in _shown if path.parent == runs_dir() / "present"]:
        _shown.pop(path).close(remove=True)


def _path(who: Holder) -> Path:
    name = f"{who.space}-{who.pid}-{who.since:.0f}"
    return runs_dir() / "present" / re.sub(r"[^\w.-]", "_", name)[:200]


def _begin_anew() -> None:
    """A forked child is another process: the kernel has let go of what its parent holds, and so does it."""
    global _one
    _one = threading.Lock()
    _shown.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
