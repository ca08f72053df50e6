"""Whether a process that lives stands still: it notes signs of life in the file that it holds.

What it notes is a time of its own clock, which another machine or a later boot counts differently: so nobody
compares it with theirs. Whoever looks remembers what they saw, and when; what is still the same after a while
was written by a process that stands still.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection
from pathlib import Path

from ldp_core.runs.storage import holding
from ldp_core.runs.storage.holding import BEAT_BYTES, Held

BEAT_SECONDS = 1.0
STALLED_SECONDS = 15.0
"""Without a sign of life, and a process is called stalled."""
SURE_SECONDS = 5 * BEAT_SECONDS
"""Between two looks that have seen the same, at least: the date of a file is a hint and no proof."""
MOST_FILES = 1000
_seen: dict[Path, tuple[bytes, float, float]] = {}
"""By file: what stood in it, when that was first seen here, and how old it seemed to be then."""


def beat(held: Held) -> None:
    """Note signs of life of this process in a file that it holds, from now on until it lets go of it."""
    held.show_life(promise=True)
    threading.Thread(target=_keep_beating, args=(held,), daemon=True, name="heartbeat").start()


def _keep_beating(held: Held) -> None:
    while held.show_life():
        time.sleep(BEAT_SECONDS)


def stands_still(path: Path) -> float:
    """Seconds for which the holder of a file has shown no sign of life, if they are too many; else 0.

    0 too on the first look, where nobody holds it, and of a program that never promised any.
    """
    since = _unchanged(path)
    return since if since >= STALLED_SECONDS else 0.0


def look_twice(paths: Collection[Path]) -> None:
    """For whoever looks but once: where a first look leaves a doubt, wait until the next one is sure."""
    for path in paths:
        stands_still(path)
    if any(path in _seen and _seen[path][2] >= STALLED_SECONDS for path in paths):
        time.sleep(SURE_SECONDS)


def _unchanged(path: Path) -> float:
    try:
        with path.open("rb") as file:
            said = file.read(BEAT_BYTES)
            promised = holding.PROMISE in file.read(1000)
            written = os.fstat(file.fileno()).st_mtime
    except OSError:
        promised = False
    if not promised or not holding.is_held(path):
        _seen.pop(path, None)
        return 0.0
    now = time.monotonic()
    known = _seen.get(path)
    if known is None or known[0] != said:
        for oldest in list(_seen)[: len(_seen) - MOST_FILES]:
            _seen.pop(oldest, None)
        _seen[path] = (said, now, max(0.0, time.time() - written))
        return 0.0
    _, first, age = known
    watched = now - first
    return watched + age if watched >= SURE_SECONDS else 0.0
