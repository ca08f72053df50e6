"""How steady the time left is: `python -m tests.benchmarks.time_left [NAME …]`.

Jobs of some ten to thirty seconds, in this process and by its own clock: so others' work does not count. At
every step that a page could have looked at, what it would have told is held against what was truly left: how
far off it was at worst, as a factor, from when 2 seconds or a tenth of the job had gone until 2 seconds
before its end.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ldp_core import presets
from ldp_core.datasets import Step
from ldp_core.experiment.sweep import parse_sweep
from ldp_core.runs.lockstep import drive, one_thread
from ldp_core.runs.machine.calibration import calibrate
from ldp_core.runs.machine.work_done import CellsDone, RoundsDone
from ldp_core.runs.record.progress import EVERY_SECONDS, Pace
from ldp_core.runs.train_all import train_all
from tests.benchmarks.machine import described

Event = tuple[float, float, float]
"""Seconds since the job was begun; what was done by then; and of how much."""
FIRST, LAST = 2.0, 2.0
LOOKS = 0.25
"""Seconds between two looks."""


def worst(events: Sequence[Event]) -> tuple[float, float]:
    """How far off the time left was at worst, as a factor of 1 or more, and when, as a share of the job."""
    took, found, reported = events[-1][0], (1.0, 0.0), list(events)
    pace, written, left = Pace(), -1.0, None
    at = LOOKS
    while at < took - LAST:
        while reported and reported[0][0] <= at:
            when, done, total = reported.pop(0)
            if when - written >= EVERY_SECONDS:
                left, written = pace.seconds_left(when, done, total), when
        if at >= max(FIRST, took / 10):
            ratio = max(1e-9, (left or 0.0) - (at - written)) / (took - at)
            found = max(found, (max(ratio, 1 / ratio), at / took))
        at += LOOKS
    return found


class Recorded(list[Event]):
    """What a job reports, with the time since it was begun."""

    def __init__(self) -> None:
        super().__init__()
        self._began = time.process_time()

    def __call__(self, step: Step) -> None:
        self.append((time.process_time() - self._began, step.done, step.total))


def training(name: str, rounds: int, **changes: object) -> Recorded:
    draft = presets.get(name).draft.with_base({"rounds": rounds, **changes})
    runs = {i: run.experiment for i, run in enumerate(draft.runs(reference=True))}
    found = Recorded()
    done = RoundsDone(runs, {}, found)
    for turn in drive(runs, tick=done.tick):
        done.turn(turn)
    return found


def sweep(base: dict[str, Any], grid: Mapping[str, Any], seeds: int) -> Recorded:
    asked = parse_sweep({"base": base, "grid": grid, "seeds": seeds})
    experiments, found = [cell.experiment for cell in asked.cells], Recorded()
    for _ in train_all(experiments, tick=CellsDone(experiments, found)):
        pass
    return found


FIVE = {"clients.epsilon": [0.5, 1, 2, 4, 8], "clients.range": [0.1, 0.25, 0.5, 1, 2]}
UNLIKE = {"rounds": [5, 15, 40, 100], "clients.count": [5, 10, 20, 30]}
FEW = {"clients.epsilon": [0.5, 2, 8], "rounds": [5, 20, 80, 480]}
JOBS: dict[str, Callable[[], Recorded]] = {
    "the default, attacked": lambda: training("two_volunteers", 120),
    "the default, not attacked": lambda: training("two_volunteers", 300, attack=None),
    "a convolutional network, attacked": lambda: training("picture_forms", 5),
    "a sweep": lambda: sweep({}, FIVE, 8),
    "an uneven sweep": lambda: sweep({}, UNLIKE, 6),
    "an uneven sweep of few": lambda: sweep({}, FEW, 1),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--keep", type=Path, help="where the times are written, as JSON")
    options = parser.parse_args()
    kept = {}
    print(described(), flush=True)
    one_thread()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EPSILON_RUNS_DIR"] = folder
        calibrate()
        for name, job in JOBS.items():
            if options.names and not any(one in name for one in options.names):
                continue
            events = job()
            factor, when = worst(events)
            kept[name] = [(round(at, 3), round(done, 4), total) for at, done, total in events]
            print(f"{name}: {events[-1][0]:.1f} s, off by {factor:.2f} at {when:.0%}", flush=True)
    if options.keep:
        options.keep.write_text(json.dumps(kept))


if __name__ == "__main__":
    main()
