"""A job as it stood after a round: what its viewers would have seen then, from the same record."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.events import Row, runs_of
from ldp_core.runs.view.run_progress import Progress

MOST_EVENTS = 20_000
"""Of a record, that are read for one round in about a second."""


class Replay(Progress):
    """The runs of one job up to a round; what came later is left out."""

    def __init__(self, keys: Sequence[str], rows: Sequence[Row], last: int) -> None:
        self._last = last
        super().__init__(keys, rows)

    def _fold(self, body: dict[str, Any], run: int = 0, at: float = 0.0) -> None:
        if body["event"] != "end" and body.get("round", 0) <= self._last:
            super()._fold(body, run, at)


@lru_cache(maxsize=64)
def replay_of(job: Job, last: int) -> Progress:
    """A job that goes on no more, after round `last`."""
    return Replay(job.keys, runs_of(job), last).update()
