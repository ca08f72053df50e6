"""Log records limited in rate: repeated ones are dropped and counted."""

import logging
import threading
from collections import Counter

from ldp_core.system.rate_limit import RateLimit

REPEATED, SAME_SECONDS = 20, 60.0
"""Limit for warnings and errors of one source line: number at once, and seconds until one more."""
ALL = (300, 10.0)
"""Limit for all records: about 40 MB a day if each has a traceback."""
MOST = 4000
"""Largest number of characters of a record."""
COUNTED = 1000


class Quiet:
    """Rate limit for log records; `repeated` of one source line at once, each message once if that is 1."""

    def __init__(self, repeated: int = REPEATED, every: tuple[int, float] = ALL) -> None:
        self._same, self._all = RateLimit(repeated, SAME_SECONDS), RateLimit(*every)
        self._left_out, self._once = Counter[str](), repeated == 1
        self._one = threading.Lock()

    def lets_pass(self, record: logging.LogRecord, now: float | None = None) -> bool:
        """Whether to write a log record; adds the number of dropped ones, and shortens a long record."""
        kind = f"{record.name} {record.lineno} {str(record.getMessage() if self._once else record.msg)[:200]}"
        limited = record.levelno >= logging.WARNING
        if (limited and self._same.wait(kind, now) > 0) or not self._all.take(now=now):
            with self._one:
                if kind in self._left_out or len(self._left_out) < COUNTED:
                    self._left_out[kind] += 1
            return False
        if limited:
            self._same.take(kind, now)
        with self._one:
            before = self._left_out.pop(kind, 0)
        text = record.getMessage()
        if before or len(text) > MOST:
            more = f" ({before} like this were left out)" if before else ""
            record.msg, record.args = text[:MOST] + ("…" if len(text) > MOST else "") + more, ()
        return True


def be_quiet(repeated: int = REPEATED) -> None:
    """Limit the rate and length of log records in this process and its forks."""
    if getattr(logging.Logger.handle, "quiet", False):
        return
    plain, quiet = logging.Logger.handle, Quiet(repeated)

    def handle(self: logging.Logger, record: logging.LogRecord) -> None:
        if quiet.lets_pass(record):
            plain(self, record)

    handle.quiet = True  # type: ignore[attr-defined]
    logging.Logger.handle = handle  # type: ignore[method-assign]
