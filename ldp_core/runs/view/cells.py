"""Jobs of many cells folded for display: an attack grid, a sweep, the search for a design."""

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import Any, Self

from ldp_core.runs.view.folded import Folded
from ldp_core.tuning.designs import TRIAL, DesignRun, without_noise
from ldp_core.tuning.fits import NoiselessRun, fits_of

Body = dict[str, Any]
Place = tuple[str, float | None, str | None]
"""Mechanism, budget and control; budget or control is None."""


class Desk(Folded):
    """An attack grid: its start, the controls, and the cells so far."""

    start: Body
    """Empty before it has come."""
    references: dict[tuple[str, str], Body]
    """Event of a control without noise, by mechanism and control."""
    cells: dict[tuple[str, float], Body]
    """Event of a cell, by mechanism and ε."""
    frames: dict[Place, dict[int, Body]]
    """Frames of searches by number of steps."""
    end: Body | None

    @classmethod
    def of(cls, events: Iterable[Body]) -> Self:
        desk = cls(())
        for body in events:
            desk._fold(body)
        return desk

    def _forget(self) -> None:
        self.start, self.references, self.cells, self.end = {}, {}, {}, None
        self.frames = {}

    def newest(self, place: Place) -> Body | None:
        """Latest frame of a search; None if there is none."""
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


class SweepProgress(Folded):
    cells: dict[int, Body]
    """By number."""

    def _forget(self) -> None:
        self.cells = {}

    def _fold(self, body: Body, run: int = 0, at: float = 0.0) -> None:
        self.cells[body["cell"]] = body


class SearchProgress(Folded):
    cells: list[Body]
    fits: list[NoiselessRun]
    answer: Body | None

    def _forget(self) -> None:
        self.cells, self.fits, self.answer = [], [], None

    def _fold(self, body: Body, run: int = 0, at: float = 0.0) -> None:
        if body["event"] == "answer":
            self.answer = body
        elif body["event"] == "fit":
            self.fits += fits_of([body])
        elif body["event"] == "cell":
            self.cells.append(body)


def accuracy_of(cell: Mapping[str, Any]) -> float:
    """Of a run of a search; 0 if it did not complete."""
    return float(cell["accuracy"] or 0.0) if cell["status"] == "completed" else 0.0


class AskProgress(Folded):
    cells: list[Body]
    chance: float | None
    told: float | None

    def _forget(self) -> None:
        self.cells, self.chance, self.told = [], None, None

    def _fold(self, body: Body, run: int = 0, at: float = 0.0) -> None:
        if body["event"] == "guessing":
            self.chance = body["chance"]
        elif body["event"] == "told":
            self.told = body["right"]
        else:
            self.cells.append(body)


def points_of(events: Iterable[Mapping[str, Any]], ranges: Sequence[float] = ()) -> dict[DesignRun, float]:
    """What a search for a design knows, by point; `ranges`: the designs of the search for the least ε."""
    found = {}
    for one in events:
        if one["event"] == "trial":
            point = DesignRun(one["question"], one["design"], one["epsilon"], TRIAL)
            for replica, accuracy in enumerate(one["accuracies"] or [nan]):
                found[point._replace(seed=TRIAL - replica)] = accuracy
        elif one["event"] == "cell" and "half" in one:
            design = ranges.index(one["half"])
            design = without_noise(design) if one["epsilon"] is None else design
            found[DesignRun(0, design, one["epsilon"] or 0.0, one["seed"])] = accuracy_of(one)
        elif one["event"] == "cell":
            found[DesignRun(one["question"], one["design"], one["epsilon"], one["seed"])] = accuracy_of(one)
    return found
