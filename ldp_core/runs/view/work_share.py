"""How far a job of many cells has come with all of them, and since when: two numbers in a small file.

Cells end when they do, a long one seldom and sixteen at once: how many have ended says little of the time
that is left. The process that trains writes this down, and nothing depends on it.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from ldp_core.system.json_file import read_json, write_json

FILE = "work.json"
EVERY_SECONDS = 0.5
LEAST = 0.01
"""Before this share of the work is done there is no pace to speak of."""


class Share:
    """Writes the share of the work that is done, at most twice a second."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._path.unlink(missing_ok=True)
        self._first: tuple[float, float] | None = None
        self._written = 0.0

    def __call__(self, share: float) -> None:
        """`share` of what this process has to do is done, in [0, 1]."""
        now = time.monotonic()
        if share >= 1:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
        elif self._first is None:  # what came before the first round is no work
            self._first, self._written = (now, share), now
        elif now - self._written >= EVERY_SECONDS:
            self._written = now
            began, before = self._first
            with suppress(OSError):  # a full disk is the recorder's to report
                write_json(self._path, [now - began, share - before, 1 - share])


def seconds_left(folder: Path, since: float = 0.0, at: float | None = None) -> float | None:
    """An estimate at some time (now); None before there is one, or where nothing was told since then."""
    path = folder / FILE
    try:
        told = path.stat().st_mtime
        took, done, left = map(float, read_json(path))
    except (OSError, ValueError, TypeError):
        return None
    if told < since:  # by an attempt before this one
        return None
    return estimate(took, done, left, (time.time() if at is None else at) - told)


def estimate(took: float, done: float, left: float, ago: float) -> float | None:
    """Seconds left, told `ago` seconds ago: `done` took `took` seconds and `left` was left, both as shares of
    the whole; None before there is a pace. What has passed since is not left any more.
    """
    if not (took >= 0 and LEAST <= done <= 1 and 0 <= left <= 1):
        return None
    return max(0.0, took * left / done - max(0.0, ago))
