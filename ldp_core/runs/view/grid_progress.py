"""A ladder as its viewers see it: what is attacked, the controls, and the cells so far."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from ldp_core.runs.view.folded import Folded

Body = dict[str, Any]


class Desk(Folded):
    """The events of one ladder."""

    start: Body
    """The event that tells what is attacked; empty before it has come."""
    references: dict[tuple[str, str], Body]
    """(mechanism, control) → the same attack where nothing is perturbed."""
    cells: dict[tuple[str, float], Body]
    """(mechanism, ε) → what the attack came to."""
    end: Body | None

    def _forget(self) -> None:
        self.start, self.references, self.cells, self.end = {}, {}, {}, None

    def seconds_left(self, since: float = 0.0) -> float | None:
        """An estimate from the pace of the cells since then; None before there is one."""
        ladder = self.start.get("ladder")
        every = len(ladder["mechanisms"]) * len(ladder["epsilons"]) if ladder else 0
        return self._pace.seconds_left(every, since)

    def _fold(self, body: Body, run: int = 0) -> int | None:
        kind = body["event"]
        if kind == "ladder":
            self.start = body
        elif kind == "reference":
            self.references[body["mechanism"], body["control"]] = body
        elif kind == "cell":
            self.cells[body["mechanism"], body["epsilon"]] = body
        elif kind == "end":
            self.end = body
        return len(self.cells) if kind in ("ladder", "cell") else None


@lru_cache(maxsize=64)
def desk_of(folder: Path) -> Desk:
    """The ladder in a folder, shared by all who look at it in this process."""
    return Desk(folder)
