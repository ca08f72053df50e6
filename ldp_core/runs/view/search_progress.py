"""The inverse question as its viewers see it: the runs so far, and the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.folded import Folded
from ldp_core.tuning import Point


class SearchProgress(Folded):
    cells: list[dict[str, Any]]
    leaks: list[dict[str, Any]]
    """What an attacker picked at budgets that were tried for that."""
    answer: dict[str, Any] | None

    def _forget(self) -> None:
        self.cells, self.leaks, self.answer = [], [], None

    def _fold(self, body: dict[str, Any], run: int = 0, at: float = 0.0) -> None:
        if body["event"] == "answer":
            self.answer = body
        else:
            (self.leaks if body["event"] == "leak" else self.cells).append(body)


def known(cells: Iterable[Mapping[str, Any]]) -> dict[Point, float]:
    """Best accuracy per searched point; an unfinished run counts as none."""
    return {
        Point(one["half"], one["epsilon"], one["seed"]): float(one["accuracy"] or 0.0)
        if one["status"] == "completed"
        else 0.0
        for one in cells
        if one["event"] == "cell"
    }


def search_of(job: Job) -> SearchProgress:
    """The question of a job, shared by all who look at it in this process."""
    return _shared(job.keys)


@lru_cache(maxsize=64)
def _shared(keys: Sequence[str]) -> SearchProgress:
    return SearchProgress(keys)
