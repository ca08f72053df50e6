"""A record that is folded as it grows: each event once, however many look and however often."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from ldp_core.runs.record.store import Stored, began, each_event, sound
from ldp_core.runs.view.eta import Pace


class Folded(ABC):
    """One job's record, brought up to date on demand; safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._read = 0.0
        self._began: float | None = None
        self._start_over()

    def _start_over(self) -> None:
        self.seq = 0
        self._pace = Pace()
        self._forget()

    def update(self, pause: float = 0.0) -> Self:
        """Read what has come since the last call, unless that was less than `pause` seconds ago.

        Raises:
            StorageFailed: the record is damaged.
        """
        with self._lock, sound(self._folder):
            if self.seq and time.monotonic() - self._read < pause:
                return self
            self._read = time.monotonic()
            if (first := began(self._folder)) != self._began:
                # the record was removed, or is another one: a job that is taken up after that begins anew
                self._start_over()
                self._began = first
            for event in self._new():
                done = self._fold(event.body, event.run)
                self.seq = event.seq
                if done is not None:
                    self._pace.note(event.at, done)
        return self

    @abstractmethod
    def _forget(self) -> None:
        """Begin with nothing."""

    def _new(self) -> Iterator[Stored]:
        """What has come since the last look."""
        return each_event(self._folder, self.seq)

    @abstractmethod
    def _fold(self, body: dict[str, Any], run: int = 0) -> float | None:
        """Take up one more event of a run.

        Returns:
            How many steps are done by then; None where that says nothing of the pace.
        """
