"""Stalled processes: stopped (SIGSTOP) or hanging in the kernel, they keep a lock and write no heartbeat."""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from pathlib import Path

from ldp_core.runs.storage.locks import BEAT_BYTES, BEAT_SECONDS, holder

STALLED_SECONDS = 15.0
"""Time without heartbeat after which a process counts as stalled."""
SURE_SECONDS = 5 * BEAT_SECONDS
"""Least interval between two equal observations of a heartbeat; a file's date alone proves nothing."""
MOST_FILES = 1000
_seen: dict[Path, tuple[bytes, float, float]] = {}
"""Last heartbeat by file, the time of its first observation here, and its apparent age then."""


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
        for oldest in list(_seen)[: len(_seen) - MOST_FILES]:
            _seen.pop(oldest, None)
        _seen[path] = (said, now, max(0.0, time.time() - written))
        return 0.0
    _, first, age = _seen[path]
    silent = now - first + age
    return silent if now - first >= SURE_SECONDS and silent >= STALLED_SECONDS else 0.0


def look_twice(paths: Collection[Path]) -> None:
    """Wait until a second check of the heartbeats is conclusive."""
    for path in paths:
        stands_still(path)
    if any(path in _seen and _seen[path][2] >= STALLED_SECONDS for path in paths):
        time.sleep(SURE_SECONDS)
