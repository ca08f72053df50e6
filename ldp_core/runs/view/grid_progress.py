"""A ladder as its viewers see it: what is attacked, the controls, and the cells so far."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ldp_core.runs.record.store import began, events_after, sound
from ldp_core.runs.view.eta import Pace

Body = dict[str, Any]


@dataclass
class Desk:
    """The events of one ladder, folded as they come; safe to share between threads."""

    folder: Path
    seq: int = 0
    start: Body = field(default_factory=dict)
    """The event that tells what is attacked; empty before it has come."""
    references: dict[tuple[str, str], Body] = field(default_factory=dict)
    """(mechanism, control) → the same attack where nothing is perturbed."""
    cells: dict[tuple[str, float], Body] = field(default_factory=dict)
    """(mechanism, ε) → what the attack came to."""
    end: Body | None = None
    _pace: Pace = field(default_factory=Pace)
    _began: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def update(self) -> Desk:
        """Read what has come since the last call.

        Raises:
            StorageFailed: the record is damaged.
        """
        with self._lock, sound(self.folder):
            if (first := began(self.folder)) != self._began:
                # the record was removed, or is another one: a ladder that is taken up after that begins anew
                self.seq, self.start, self.references, self.cells, self.end = 0, {}, {}, {}, None
                self._began, self._pace = first, Pace()
            for event in events_after(self.folder, self.seq):
                self._fold(event.body)
                self.seq = event.seq
                if event.body["event"] in ("ladder", "cell"):
                    self._pace.note(event.at, len(self.cells))
        return self

    def seconds_left(self, since: float = 0.0) -> float | None:
        """An estimate from the pace of the cells since then; None before there is one."""
        ladder = self.start.get("ladder")
        every = len(ladder["mechanisms"]) * len(ladder["epsilons"]) if ladder else 0
        return self._pace.seconds_left(every, since)

    def _fold(self, body: Body) -> None:
        kind = body["event"]
        if kind == "ladder":
            self.start = body
        elif kind == "reference":
            self.references[body["mechanism"], body["control"]] = body
        elif kind == "cell":
            self.cells[body["mechanism"], body["epsilon"]] = body
        elif kind == "end":
            self.end = body
