"""The record of one sweep or tuning: each cell is stored as it finishes and noted in the index of results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ldp_core.events import SweepCell
from ldp_core.experiment import Experiment
from ldp_core.experiment.sweep import Cell
from ldp_core.runs.lockstep import Turn
from ldp_core.runs.record import results
from ldp_core.runs.record.store import Recorder

NOTE_SECONDS = 1.0
"""Between two transactions on the index, which all jobs share."""


def told(number: int, cell: Cell, figures: dict[str, Any], known_from: str | None = None) -> dict[str, Any]:
    """A cell's event.

    Args:
        number: of the cell, from 0.
        cell: what it sets, and its seed.
        figures: what it came to.
        known_from: the job that has trained it, if it was another one.
    """
    own: dict[str, Any] = {
        "cell": number,
        "set": dict(cell.set),
        "seed": cell.seed,
        "key": cell.experiment.key,
    }
    return SweepCell(**own, **figures, known_from=known_from).as_json()


class CellRecorder:
    """Writes the cells of one sweep; what is stored already is taken up."""

    def __init__(
        self, cells: Sequence[Cell], recorder: Recorder, job: str, bits: Callable[[Experiment], str]
    ) -> None:
        self._cells, self._recorder, self._job, self._bits = cells, recorder, job, bits
        self._statuses = {event["cell"]: event["status"] for event in recorder.told(0)}
        self._waiting: list[tuple[Experiment, dict[str, Any]]] = []
        self._began = self._noted = time.monotonic()

    def left(self) -> list[int]:
        """The cells of which nothing is stored."""
        return [number for number in range(len(self._cells)) if number not in self._statuses]

    def count(self, status: str) -> int:
        """How many have ended so."""
        return sum(one == status for one in self._statuses.values())

    def take_over(self) -> None:
        """Store what other jobs have found of the cells that are left, to the same bits."""
        left = self.left()
        known: dict[str, results.Result] = {}
        for bits, experiments in self._by_bits(self._cells[number].experiment for number in left).items():
            known |= results.find([one.key for one in experiments], bits)
        for number in left:
            if found := known.get(self._cells[number].experiment.key):
                self._store(number, found.figures, found.job)
        self._recorder.flush()

    def write(self, number: int, figures: dict[str, Any]) -> None:
        """Store what a cell came to; it is on the disk when this returns."""
        self._store(number, figures)
        self._recorder.flush()
        if figures["status"] == "completed":
            self._waiting.append((self._cells[number].experiment, figures))
        if time.monotonic() - self._noted > NOTE_SECONDS:
            self._note()

    def close(self) -> None:
        """Note what is waiting, and let go of the record."""
        try:
            self._note()
        finally:
            self._recorder.close()

    def _store(self, number: int, figures: dict[str, Any], known_from: str | None = None) -> None:
        self._statuses[number] = figures["status"]
        body = told(number, self._cells[number], figures, known_from)
        self._recorder.write(Turn(0, [body], None, time.monotonic() - self._began))

    def _note(self) -> None:
        found, self._waiting = self._waiting, []
        self._noted = time.monotonic()
        figures = {one.key: what for one, what in found}
        for bits, experiments in self._by_bits(one for one, _ in found).items():
            results.note(self._job, [(one, figures[one.key]) for one in experiments], bits)

    def _by_bits(self, experiments: Iterable[Experiment]) -> dict[str, list[Experiment]]:
        groups: dict[str, list[Experiment]] = {}
        for experiment in experiments:
            groups.setdefault(self._bits(experiment), []).append(experiment)
        return groups
