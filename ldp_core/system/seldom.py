"""Log filter against repetition."""

from __future__ import annotations

import logging
import time

SECONDS = 60.0
"""Interval between two equal records."""
MOST = 200
"""Number of remembered records."""


class Seldom(logging.Filter):
    """Passes a record, but the same one only once a minute.."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        raised = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        what, now = (record.getMessage(), raised), time.monotonic()
        if now - self._last.get(what, -SECONDS) < SECONDS:
            return False
        self._last.pop(what, None)
        self._last[what] = now
        while len(self._last) > MOST:
            del self._last[next(iter(self._last))]
        return True
