"""A sweep as its viewers see it: the cells so far."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ldp_core.runs.queue.job import Job
from ldp_core.runs.view import work_share
from ldp_core.runs.view.eta import Moment
from ldp_core.runs.view.folded import Folded


class SweepProgress(Folded):
    cells: dict[int, dict[str, Any]]
    """A cell's number → what it came to."""
    _own: int
    """How many of them this job has trained."""

    def __init__(self, keys: Sequence[str], folder: Path) -> None:
        self._folder = folder
        super().__init__(keys)

    def _forget(self) -> None:
        self.cells, self._own = {}, 0

    def seconds_left(self, every: int, since: float = 0.0, at: float | None = None) -> float | None:
        """An estimate at some time (now) for so many cells, from their pace since then; None before there is
        one. Where its process does not tell how far it is with all of them, cells count alike.
        """
        if (told := work_share.seconds_left(self._folder, since, at)) is not None:
            return told
        now = Moment(time.time() if at is None else at, self._own)
        return self._pace.seconds_left(every - len(self.cells) + self._own, since, now, from_nothing=True)

    def _fold(self, body: dict[str, Any], run: int = 0, at: float = 0.0) -> int | None:
        self.cells[body["cell"]] = body
        if body["known"]:  # it says nothing of the pace
            return None
        self._own += 1
        return self._own


def sweep_of(job: Job) -> SweepProgress:
    """The sweep of a job, shared by all who look at it in this process."""
    return _shared(job.keys, job.folder)


@lru_cache(maxsize=64)
def _shared(keys: Sequence[str], folder: Path) -> SweepProgress:
    return SweepProgress(keys, folder)
