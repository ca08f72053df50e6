"""A log that cannot be filled by one thing that goes wrong again and again."""

from __future__ import annotations

import logging
import time

SECONDS = 60.0
"""So long nothing is told twice."""
MOST = 200
"""Different things that are remembered."""


class Seldom(logging.Filter):
    """Lets a record pass, with what was raised, and what says the same not before a minute has gone by.

    On the root logger: through it this program tells all that it tells.
    """

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """True for what is to be told."""
        if record.levelno < logging.WARNING:
            return True
        raised = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        what, now = (record.getMessage(), raised), time.monotonic()
        if now - self._told.get(what, -SECONDS) < SECONDS:
            return False
        self._told.pop(what, None)
        self._told[what] = now
        while len(self._told) > MOST:
            del self._told[next(iter(self._told))]
        return True
