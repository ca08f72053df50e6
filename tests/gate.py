"""Holds jobs after so many turns, so that a test sees a state that a quick machine passes in no time.

Workers that are begun warm (tests/warm.py) have this where EPSILON_TEST_GATE names a file. Without such a
file no job is held; in it stands the number of turns (rounds, cells, frames) after which a job waits until
the number is larger, or the file is gone. It can be stopped meanwhile.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ldp_core.runs.lockstep import Turn
from ldp_core.runs.record.store import Recorder

NAME = "EPSILON_TEST_GATE"


def install() -> None:
    """Put the gate into this process and those that it forks, each of which counts its own turns."""
    write, gate, turns = Recorder.write, Path(os.environ[NAME]), 0

    def held_write(self: Recorder, turn: Turn) -> None:
        nonlocal turns
        write(self, turn)
        turns += 1
        with suppress(FileNotFoundError):
            while turns >= int(gate.read_text()):
                self.flush()  # what is held is seen
                time.sleep(0.02)

    setattr(Recorder, "write", held_write)  # noqa: B010


@contextmanager
def holding(runs_dir: Path, turns: int) -> Iterator[Callable[[int], None]]:
    """Jobs of this folder wait after so many turns, or as many as are given later, until this is left."""
    gate = gate_of(runs_dir)

    def hold_after(turns: int) -> None:
        partial = gate.with_suffix(".partial")
        partial.write_text(str(turns))
        partial.replace(gate)

    hold_after(turns)
    try:
        yield hold_after
    finally:
        gate.unlink()


def gate_of(runs_dir: Path) -> Path:
    """The file that EPSILON_TEST_GATE names for the worker of a folder of runs."""
    return runs_dir.parent / "gate"
