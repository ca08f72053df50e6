"""A ladder as its viewers see it: what is attacked, the controls, and the cells so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Self

from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.folded import Folded

Body = dict[str, Any]
Place = tuple[str, float | None, str | None]
"""Mechanism, budget and control; one of the last two is None."""


class Desk(Folded):
    start: Body
    """The event that tells what is attacked; empty before it has come."""
    references: dict[tuple[str, str], Body]
    """(mechanism, control) → the same attack where nothing is perturbed."""
    cells: dict[tuple[str, float], Body]
    """(mechanism, ε) → what the attack came to."""
    frames: dict[Place, dict[int, Body]]
    """(mechanism, ε, control) → how it looked after so many steps of a search, in their order; empty where
    nothing is searched."""
    end: Body | None

    @classmethod
    def of(cls, events: Iterable[Body]) -> Self:
        """A ladder whose events are known already, and of which no more will come."""
        desk = cls(())
        for body in events:
            desk._fold(body)
        return desk

    def _forget(self) -> None:
        self.start, self.references, self.cells, self.end = {}, {}, {}, None
        self.frames = {}

    def newest(self, place: Place) -> Body | None:
        """The last guess at a cell or under a control, if there is any."""
        frames = self.frames.get(place)
        return frames[max(frames)] if frames else None

    def _fold(self, body: Body, run: int = 0, at: float = 0.0) -> None:
        kind = body["event"]
        if kind == "ladder":
            self.start = body
        elif kind == "reference":
            self.references[body["mechanism"], body["control"]] = body
        elif kind == "cell":
            self.cells[body["mechanism"], body["epsilon"]] = body
        elif kind == "guess":
            place = body["mechanism"], body["epsilon"], body["control"]
            self.frames.setdefault(place, {})[body["iterations"]] = body
        elif kind == "end":
            self.end = body


def desk_of(job: Job) -> Desk:
    """The ladder of a job, shared by all who look at it in this process."""
    return _shared(job.keys)


@lru_cache(maxsize=64)
def _shared(keys: Sequence[str]) -> Desk:
    return Desk(keys)
