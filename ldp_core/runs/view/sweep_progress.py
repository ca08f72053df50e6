"""A sweep as its viewers see it: the cells so far."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from ldp_core.runs.view.folded import Folded


class SweepProgress(Folded):
    """The events of one sweep."""

    cells: dict[int, dict[str, Any]]
    """A cell's number → what it came to."""

    def _forget(self) -> None:
        self.cells = {}

    def seconds_left(self, every: int, since: float = 0.0) -> float | None:
        """An estimate for so many cells, from their pace since then; None before there is one."""
        return self._pace.seconds_left(every, since)

    def _fold(self, body: dict[str, Any], run: int = 0) -> int | None:
        self.cells[body["cell"]] = body
        # one that was known says nothing of the pace
        return len(self.cells) if body["known_from"] is None else None


@lru_cache(maxsize=64)
def sweep_of(folder: Path) -> SweepProgress:
    """The sweep in a folder, shared by all who look at it in this process."""
    return SweepProgress(folder)
