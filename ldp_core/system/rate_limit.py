"""Rate limits: a burst at once, then one per interval, for each name."""

import threading
import time

MOST_NAMES = 10_000
"""Largest number of names; beyond it expired ones are dropped first, then the oldest."""


class RateLimit:
    """Rate limit by name; thread-safe.

    Args:
        burst: number allowed at once.
        seconds: interval until one more is allowed.
    """

    def __init__(self, burst: int, seconds: float) -> None:
        self.burst, self.seconds = burst, seconds
        self._empty_until: dict[str, float] = {}
        """Time at which a name's allowance will be full again."""
        self._one = threading.Lock()

    def wait(self, name: str = "", now: float | None = None) -> float:
        """Seconds until this name is allowed again; 0 if now. Nothing is consumed."""
        now = time.monotonic() if now is None else now
        whole = self._empty_until.get(name, now)
        return max(0.0, whole - now - (self.burst - 1) * self.seconds)

    def take(self, name: str = "", now: float | None = None) -> bool:
        """Consume one of the allowance; False if there is none."""
        now = time.monotonic() if now is None else now
        with self._one:
            if self.wait(name, now) > 0:
                return False
            whole = max(now, self._empty_until.pop(name, now))
            if len(self._empty_until) >= MOST_NAMES:
                self._forget(now)
            self._empty_until[name] = whole + self.seconds
            return True

    def _forget(self, now: float) -> None:
        kept = {name: whole for name, whole in self._empty_until.items() if whole > now}
        self._empty_until = dict(list(kept.items())[-MOST_NAMES // 2 :])
