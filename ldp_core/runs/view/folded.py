"""Incremental folding of a record: each event is read once per process, for all viewers."""

import math
import threading
import time
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Self, overload

import numpy as np

from ldp_core.mechanisms.base import Floats
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.events import News, StoredEvent, news, sound

MOST = 50
"""Number of events of one computation that are read at a time."""


class CompactSeries:
    """One value a round in four bytes, NaN where missing (the stored record keeps all digits); what is read
    is a copy: another thread may append meanwhile.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = array("f")

    def append(self, value: float | None) -> None:
        figure = math.nan if value is None else float(value)
        if math.isfinite(figure) and figure != 0 and not 1e-37 < abs(figure) < 1e38:
            self._held = array("d", self._held)
        self._held.append(figure)

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[float]:
        return iter(self._held.tolist())

    @overload
    def __getitem__(self, at: int) -> float: ...
    @overload
    def __getitem__(self, at: slice) -> Floats: ...
    def __getitem__(self, at: int | slice) -> float | Floats:
        return np.array(self._held[at], dtype=np.float64) if isinstance(at, slice) else self._held[at]


class Folded(ABC):
    """A job's computations, brought up to date on demand; safe to share between threads."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._lock = threading.Lock()
        self._read = 0.0
        self._began: list[float | None] = [None] * len(keys)
        self._start_over()

    @classmethod
    def of_job(cls, job: Job) -> Self:
        """The folded record of a job, shared by all viewers in this process."""
        return _shared(cls, job.keys)

    def _start_over(self) -> None:
        self._seqs = [0] * len(self._keys)
        self._forget()

    def update(self, pause: float = 0.0) -> Self:
        """Read the events since the last call, unless that was less than `pause` seconds ago."""
        with self._lock, sound(", ".join(self._keys)):
            if self.seq and time.monotonic() - self._read < pause:
                return self
            self._read = time.monotonic()
            while found := self._next():
                for event in sorted(found, key=lambda event: event.at):
                    self._fold(event.body, event.run, event.at)
                    self._seqs[event.run] = event.seq
        return self

    def _next(self) -> list[StoredEvent]:
        """A limited number of new events of each computation, to bound memory."""
        found = self._look()
        if any(was not in (None, one.began) for was, one in zip(self._began, found, strict=True)):
            # one was removed, or is another one: a job that is taken up after that begins anew
            self._start_over()
            found = self._look()
        self._began = [one.began for one in found]
        return [event for one in found for event in one.events]

    def _look(self) -> list[News]:
        return [news(key, self._seqs[run], run, MOST) for run, key in enumerate(self._keys)]

    @property
    def seq(self) -> int:
        """Number of events read so far."""
        return sum(self._seqs)

    @abstractmethod
    def _forget(self) -> None:
        """Reset to the state without events."""

    @abstractmethod
    def _fold(self, body: dict[str, Any], run: int = 0, at: float = 0.0) -> None:
        """Fold an event of a run; `at` in seconds since 1970."""


@lru_cache(maxsize=256)
def _shared(kind: type[Any], keys: Sequence[str]) -> Any:
    return kind(keys)
