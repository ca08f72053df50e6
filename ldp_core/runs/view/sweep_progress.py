"""A sweep as its viewers see it: the cells so far."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.folded import Folded


class SweepProgress(Folded):
    cells: dict[int, dict[str, Any]]
    """A cell's number → what it came to."""

    def _forget(self) -> None:
        self.cells = {}

    def _fold(self, body: dict[str, Any], run: int = 0, at: float = 0.0) -> None:
        self.cells[body["cell"]] = body


def sweep_of(job: Job) -> SweepProgress:
    """The sweep of a job, shared by all who look at it in this process."""
    return _shared(job.keys)


@lru_cache(maxsize=64)
def _shared(keys: Sequence[str]) -> SweepProgress:
    return SweepProgress(keys)
