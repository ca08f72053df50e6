"""Holds jobs after so many turns, so that a test sees a state that a quick machine passes in no time.

Every worker that is begun warm has this gate, a file beside its folder of runs: in it stands the number of
turns (rounds, cells, frames) after which a job waits until it is larger, or the file is gone.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ldp_core.runs.lockstep import Turn
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.runs.record.computations import Computation

ENDLESS = 5000
"""A training of so many rounds is one that a test stops; it lasts, however quick the machine is."""
GATED = str(Path(__file__).parent / "gated")
"""The PYTHONPATH of a server or a command: the worker that it starts has the gate as well."""
PACE_SECONDS = 0.02
"""That a turn of such a training takes at least: 100 s in all."""


def install(runs_dir: Path) -> None:
    """Put the gate into this process and those that it forks, each of which counts its own turns."""
    begin, write, gate, turns, pace = Recorder.__init__, Recorder.write, gate_of(runs_dir), 0, 0.0
    every = list[Recorder]()

    def held_init(self: Recorder, one: Computation, among: int = 1) -> None:
        nonlocal pace
        begin(self, one, among)
        every.append(self)
        pace = max(pace, PACE_SECONDS * (json.loads(one.what).get("rounds", 0) >= ENDLESS))

    def held_write(self: Recorder, turn: Turn) -> None:
        nonlocal turns
        write(self, turn)
        turns += 1
        time.sleep(pace)
        with suppress(OSError):  # there is no gate
            while turns >= int(gate.read_text()):
                for one in every:
                    one.flush()  # what is held is seen
                time.sleep(0.02)

    vars_of: Any = Recorder
    vars_of.__init__, vars_of.write = held_init, held_write


def gate_of(runs_dir: Path) -> Path:
    return runs_dir.parent / "gate"


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
