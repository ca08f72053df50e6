"""A training job folded for display: curves, and the latest images."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from typing import Any

import numpy as np

from ldp_core.mechanisms.base import Floats
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.events import Row, runs_of
from ldp_core.runs.view.attack_curve import Tries
from ldp_core.runs.view.folded import CompactSeries, Folded

CURVES = (
    "accuracy",
    "loss",
    "noise_variance",
    "noise_variance_theory",
    "signal_variance",
    "clipped_fraction",
)
MOST_EVENTS = 20_000
"""Largest record that can be shown as of an earlier round: reading it takes about a second."""


@dataclass
class RunProgress:
    """One run so far. Curves have one value a round, from round 0 (NaN where missing)."""

    variant: int
    label: str
    seed: int
    experiment: str
    """Experiment as JSON text."""
    start: dict[str, Any] = field(default_factory=dict)
    curves: dict[str, CompactSeries] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)
    """Event of the latest round."""
    targets: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Event with the attacked image, by client."""
    tries: dict[tuple[str, int], Tries] = field(default_factory=dict)
    """Attack results by kind of upload ("audit", "real") and client."""
    frames: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Event with the latest picture of a search, by client."""
    end: dict[str, Any] | None = None
    ended: float = 0.0
    """Time of the end event, in seconds since 1970."""

    @property
    def round(self) -> int:
        """The last finished round."""
        return max(0, len(self.curves.get("accuracy", ())) - 1)

    @property
    def status(self) -> str:
        """ "completed", "diverged", …; "" before the end."""
        return self.end["status"] if self.end else ""

    def fold(self, body: dict[str, Any]) -> None:
        kind, client = body["event"], int(body.get("client", 0)) - 1
        if kind in ("start", "round"):
            for curve in CURVES:
                self.curves.setdefault(curve, CompactSeries()).append(body.get(curve))
        if kind == "start":
            self.start = body
        elif kind == "round":
            self.last = body
        elif kind == "target":
            self.targets[client] = body
        elif kind == "attack":
            upload = body.get("upload", "audit")
            self.tries.setdefault((upload, client), Tries(upload, client)).fold(body)
        elif kind == "frame":
            self.frames[client] = body
        elif kind == "end":
            self.end = body

    def forming(self, client: int) -> dict[str, Any] | None:
        """Latest frame of an unfinished image search on a client's upload; None if none is running."""
        frame, tries = self.frames.get(client), self.tries.get(("audit", client))
        if self.end or not frame or (tries and tries.newest and tries.newest["round"] >= frame["round"]):
            return None
        return frame


def by_variant(runs: Iterable[RunProgress]) -> dict[int, list[RunProgress]]:
    """Runs by variant number, below 0 for the run without noise."""
    found: dict[int, list[RunProgress]] = {}
    for run in runs:
        found.setdefault(run.variant, []).append(run)
    return found


def common(runs: Iterable[RunProgress], curve: str) -> Floats:
    """(S, R): a curve of those of the runs that have it, up to the last round that all of these have."""
    columns = [run.curves[curve] for run in runs if curve in run.curves]
    return np.array([one[: min(map(len, columns))] for one in columns])


class Progress(Folded):
    runs: list[RunProgress]

    def __init__(self, keys: Sequence[str], rows: Sequence[Row], last: float = inf) -> None:
        """Runs up to round `last`; later events are ignored."""
        self._rows, self._last = rows, last
        super().__init__(keys)

    def _forget(self) -> None:
        self.runs = [RunProgress(*row) for row in self._rows]

    def _fold(self, body: dict[str, Any], run: int = 0, at: float = 0.0) -> None:
        if body.get("round", 0) > self._last or (body["event"] == "end" and self._last < inf):
            return
        self.runs[run].fold(body)
        if body["event"] == "end":
            self.runs[run].ended = at

    def rounds_done(self) -> int:
        return sum(run.round for run in self.runs)

    def at(self) -> int:
        """Last round that all runs under way have finished; if there are none, the last of any."""
        going = [run.round for run in self.runs if run.start and run.end is None]
        return min(going) if going else max((run.round for run in self.runs), default=0)

    def ended(self) -> int:
        return sum(run.end is not None for run in self.runs)

    def known_before(self, at: float) -> int:
        """Number of runs that had ended by `at`."""
        return sum(run.end is not None and run.ended <= at for run in self.runs)

    def seconds_taken(self, since: float) -> float:
        """Seconds of all runs that ended after `since`, interruptions excluded."""
        own = [run.end for run in self.runs if run.end and run.ended > since]
        return sum(float(end.get("seconds") or 0.0) for end in own)


def progress_of(job: Job) -> Progress:
    """Runs of a job, folded once for all viewers in this process and for all jobs with the same keys."""
    return _shared(job.keys, runs_of(job))


_shared = lru_cache(maxsize=64)(Progress)


@lru_cache(maxsize=64)
def replay_of(job: Job, last: int) -> Progress:
    """Runs of an ended job as they were after round `last`."""
    return Progress(job.keys, runs_of(job), last).update()
