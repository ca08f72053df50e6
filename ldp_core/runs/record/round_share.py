"""How far the round that is being trained has come: a number in a small file, for long rounds.

It is no event: it is worth nothing once the round is done, and rounds of a second need none.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from ldp_core.system.json_file import read_json, write_json

FILE = "within.json"
EVERY_SECONDS = 0.5
STALE_SECONDS = 600.0
"""A file that has not been written for so long is of a process that was killed."""


class Within:
    """Writes the share of the round that is done, at most twice a second."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._written = time.monotonic()
        self._last: tuple[int, float] = (-1, 0.0)
        self._path.unlink(missing_ok=True)

    def __call__(self, run: int, share: float) -> None:
        """Run `run` has trained `share` of its present round, in [0, 1]."""
        began = run != self._last[0] or share < self._last[1]
        self._last = (run, share)
        if share >= 1.0:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
        if began:
            self._written = time.monotonic()  # a round that is done sooner than this is never told of
        elif share < 1.0 and time.monotonic() - self._written >= EVERY_SECONDS:
            self._written = time.monotonic()
            with suppress(OSError):  # a full disk is the recorder's to report
                write_json(self._path, share)


def read(folder: Path) -> float:
    """The share of the present round that is done, in [0, 1); 0 where nothing is known of it."""
    path = folder / FILE
    try:
        if time.time() - path.stat().st_mtime > STALE_SECONDS:
            return 0.0
        share = read_json(path)
    except (OSError, ValueError):
        return 0.0
    return float(share) if isinstance(share, int | float) and 0 <= share < 1 else 0.0
