"""Record of a sweep: each cell is stored once it ends, and its figures are shared with other sweeps."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from ldp_core.events import SweepCell
from ldp_core.experiment import Experiment
from ldp_core.experiment.sweep import Cell
from ldp_core.runs.lockstep import Turn
from ldp_core.runs.record import computations
from ldp_core.runs.record.computations import key_of_figures
from ldp_core.runs.record.recorder import Recorder

NOTE_SECONDS = 1.0
"""Least interval between two transactions on the shared table."""


def cell_body(number: int, cell: Cell, figures: dict[str, Any], known: bool = False) -> dict[str, Any]:
    """Event of a cell.

    Args:
        number: number of the cell, from 0.
        known: whether the figures came from the store.
    """
    own: dict[str, Any] = {"set": dict(cell.set), "seed": cell.seed, "key": cell.experiment.key}
    return SweepCell(cell=number, **own, **figures, known=known).as_json()


class FiguresNoted:
    """Final figures of experiments in the shared table: looked up before training, stored after.

    Args:
        equal_to: bit class of an experiment (`batch.bits`), as part of its key.
        room: id of a private room; "" if shared.
    """

    def __init__(self, equal_to: Callable[[Experiment], str], room: str = "") -> None:
        self._equal_to, self._room = equal_to, room
        self._waiting: list[tuple[str, str, str, dict[str, Any]]] = []
        self._noted = time.monotonic()

    def find(self, experiments: Sequence[Experiment]) -> dict[int, dict[str, Any]]:
        """Known figures, by index of the experiment."""
        keys = [key_of_figures(one, self._equal_to(one), self._room) for one in experiments]
        known = computations.ended(keys)
        return {place: known[key].figures for place, key in enumerate(keys) if key in known}

    def note(self, experiment: Experiment, figures: dict[str, Any]) -> None:
        """Store figures of a completed experiment, soon or at the next `flush`."""
        if figures["status"] == "completed":
            key = key_of_figures(experiment, self._equal_to(experiment), self._room)
            self._waiting.append((key, "figures", "completed", figures))
        if time.monotonic() - self._noted > NOTE_SECONDS:
            self.flush()

    def flush(self) -> None:
        found, self._waiting = self._waiting, []
        self._noted = time.monotonic()
        if found:
            computations.note_ends(found)


class CellRecorder:
    """Writes the cells of one sweep, beginning from those stored before."""

    def __init__(self, cells: Sequence[Cell], recorder: Recorder, figures: FiguresNoted) -> None:
        self._cells, self._recorder, self._figures = cells, recorder, figures
        self._statuses = {event["cell"]: event["status"] for event in recorder.recorded(0)}
        self._began = time.monotonic()

    def left(self) -> list[int]:
        """Numbers of the cells that are not stored."""
        return [number for number in range(len(self._cells)) if number not in self._statuses]

    def count(self, status: str) -> int:
        """Number of cells with this status."""
        return sum(one == status for one in self._statuses.values())

    def take_over(self) -> None:
        """Store the cells whose figures the shared table has, equal to the last bit."""
        left = self.left()
        for place, figures in self._figures.find([self._cells[number].experiment for number in left]).items():
            self._store(left[place], figures, known=True)
        self._recorder.flush()

    def write(self, number: int, figures: dict[str, Any]) -> None:
        """Store a cell's figures durably, here and in the shared table."""
        self._store(number, figures)
        self._recorder.flush()
        self._figures.note(self._cells[number].experiment, figures)

    def close(self) -> None:
        self._figures.flush()

    def _store(self, number: int, figures: dict[str, Any], known: bool = False) -> None:
        self._statuses[number] = figures["status"]
        body = cell_body(number, self._cells[number], figures, known)
        self._recorder.write(Turn(0, [body], None, time.monotonic() - self._began))
