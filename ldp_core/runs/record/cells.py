"""Final figures of many experiments: from the table that all jobs share, or trained and stored there."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ldp_core.datasets import Report
from ldp_core.events import SweepCell
from ldp_core.experiment import Experiment, plan
from ldp_core.experiment.sweep import GridCell
from ldp_core.runs.batch import bits
from ldp_core.runs.record import computations
from ldp_core.runs.train_all import train_all

NOTE_SECONDS = 1.0
"""Least interval between two transactions on the shared table."""


def cell_body(number: int, cell: GridCell, figures: dict[str, Any], known: bool = False) -> dict[str, Any]:
    """Event of a cell, numbered from 0; `known`: its figures came from the store."""
    own: dict[str, Any] = {"set": dict(cell.set), "seed": cell.seed, "key": plan(cell.experiment).key}
    return SweepCell(cell=number, **own, **figures, known=known).as_json()


def known_or_trained(
    experiments: Sequence[Experiment],
    room: str | None,
    report: Report,
    progress: Callable[[Sequence[Experiment]], Callable[[int, bool], None]] = lambda _: lambda *_: None,
    enough: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, dict[str, Any], bool]]:
    """Figures of each experiment by place, and whether they were stored, equal to the last bit; others are
    trained, and completed ones stored: for a private room if any, not at all if `room` is None. `progress`
    makes the `tick` of `train_all` for those that are trained; `enough` as there.
    """
    if room is None:
        yield from ((place, figures.as_json(), False) for place, figures in train_all(experiments, report))
        return
    keys = [computations.key_of_figures(one, bits(one), room) for one in experiments]
    known = computations.ended(keys)
    yield from ((place, known[key].figures, True) for place, key in enumerate(keys) if key in known)
    left = [place for place, key in enumerate(keys) if key not in known]
    if not left:
        return
    rest, waiting, noted = [experiments[place] for place in left], list[Any](), time.monotonic()
    try:
        for at, found in train_all(rest, report, progress(rest), enough):
            figures = found.as_json()
            yield left[at], figures, False
            if found.status == "completed":
                waiting.append((keys[left[at]], "figures", found.status, figures))
            if waiting and time.monotonic() - noted > NOTE_SECONDS:
                ends, waiting, noted = waiting, [], time.monotonic()
                computations.note_ends(ends)
    finally:
        if waiting:
            computations.note_ends(waiting)
