"""A job as its viewers see it: events folded into curves, and the newest images.

Events are folded once, as they come; a page asks for the result again and again.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ldp_core.runs.record.store import began, copied, events_after, runs_of, sound
from ldp_core.runs.view.attack_curve import Tries
from ldp_core.runs.view.compact_series import Column
from ldp_core.runs.view.eta import Pace

CURVES = (
    "accuracy",
    "loss",
    "noise_variance",
    "noise_variance_theory",
    "signal_variance",
    "clipped_fraction",
)


@dataclass
class RunProgress:
    """One run so far. Curves have one value a round, from round 0 (NaN where there is none)."""

    variant: int
    label: str
    seed: int
    experiment: str
    """As JSON text."""
    start: dict[str, Any] = field(default_factory=dict)
    curves: dict[str, Column] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)
    """The newest round's event."""
    targets: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Client → the event that shows its image."""
    tries: dict[tuple[str, int], Tries] = field(default_factory=dict)
    """What became of the uploads of each kind ("audit", "real") of each client under attack."""
    end: dict[str, Any] | None = None

    @property
    def round(self) -> int:
        """The last finished round."""
        return max(0, len(self.curves.get("accuracy", ())) - 1)

    def fold(self, body: dict[str, Any]) -> None:
        """Take up one more event."""
        kind = body["event"]
        if kind in ("start", "round"):
            for curve in CURVES:
                self.curves.setdefault(curve, Column()).append(body.get(curve))
        if kind == "start":
            self.start = body
        elif kind == "round":
            self.last = body
        elif kind == "target":
            self.targets[body["client"]] = body
        elif kind == "attack":
            upload, client = body.get("upload", "audit"), body["client"]
            self.tries.setdefault((upload, client), Tries(upload, client)).fold(body)
        elif kind == "end":
            self.end = body


class Progress:
    """The runs of one job, brought up to date on demand; safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self.seq = 0
        self._read = 0.0
        self.runs: list[RunProgress] = []
        self._pace = Pace()
        self._began: float | None = None
        self._copied: set[int] = set()

    def _forget(self) -> None:
        """The record was removed, or is another one: a job that is taken up after that begins anew."""
        self.seq, self.runs, self._pace, self._copied = 0, [], Pace(), set()

    def update(self, pause: float = 0.0) -> Progress:
        """Read what has come since the last call, unless that was less than `pause` seconds ago.

        Raises:
            StorageFailed: the record is damaged.
        """
        with self._lock, sound(self._folder):
            if self.seq and time.monotonic() - self._read < pause:
                return self
            self._read = time.monotonic()
            if (first := began(self._folder)) != self._began:
                self._forget()
                self._began = first
            if not self.runs:
                self.runs = [
                    RunProgress(row["variant"], row["label"], row["seed"], row["experiment"])
                    for row in runs_of(self._folder)
                ]
            if (given := set(copied(self._folder))) != self._copied:
                self._copied, self._pace = given, Pace()  # what was trained before says nothing of the pace
            for event in events_after(self._folder, self.seq):
                self.runs[event.run].fold(event.body)
                self.seq = event.seq
                if event.body["event"] in ("start", "round"):
                    self._pace.note(event.at, self.rounds_done() - self._given())
        return self

    def rounds_done(self) -> int:
        """Finished rounds, over all runs."""
        return sum(run.round for run in self.runs)

    def at(self) -> int:
        """The round that all runs have finished that go on; where none does, the furthest of any.

        One that has not begun, or has diverged and never comes further, would hold the others back.
        """
        going = [run.round for run in self.runs if run.start and run.end is None]
        return min(going) if going else max((run.round for run in self.runs), default=0)

    def ended(self) -> int:
        """Runs that have come to their end."""
        return sum(run.end is not None for run in self.runs)

    def rounds_in_all(self, rounds: int) -> int:
        """Rounds that there will be, over all runs of so many each; one that has ended has no more."""
        return sum(rounds if run.end is None else run.round for run in self.runs)

    def seconds_taken(self) -> float:
        """What the runs took that this job has trained itself, however often it was stopped."""
        own = [run.end for number, run in enumerate(self.runs) if number not in self._copied and run.end]
        return sum(float(end.get("seconds") or 0.0) for end in own)

    def seconds_left(self, rounds_in_all: int, since: float = 0.0, share: float = 0.0) -> float | None:
        """An estimate from the pace since then, and the share of the present round; or None."""
        given = self._given()
        now = (time.time(), self.rounds_done() - given + share) if share else None
        return self._pace.seconds_left(rounds_in_all - given, since, now)

    def _given(self) -> int:
        """Rounds that another job has trained."""
        return sum(run.round for number, run in enumerate(self.runs) if number in self._copied)
