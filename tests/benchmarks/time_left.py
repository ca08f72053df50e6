"""How steady the time left is: `python -m tests.benchmarks.time_left [NAME …]`.

Jobs of some ten to thirty seconds, in this process and by its own clock: so others' work does not count. At
every step that a page could have looked at, what it would have shown is held against what was truly left: how
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
from ldp_core.experiment import Run
from ldp_core.experiment.sweep import parse_sweep
from ldp_core.runs.lockstep import drive, one_thread
from ldp_core.runs.machine.calibration import calibrate
from ldp_core.runs.machine.work_done import WorkDone
from ldp_core.runs.train_all import train_all
from ldp_core.runs.view import work_share
from ldp_core.runs.view.run_progress import Progress, RunProgress
from tests.benchmarks.machine import described

Event = tuple[float, int, dict[str, Any]]
"""Seconds since the job was begun, the number of the run, and the event."""
Timed = tuple[list[Event], tuple[float, float]]
"""All of them, and how far off the time left was at worst, and when."""
FIRST, LAST = 2.0, 2.0
LOOKS = 0.25
"""Seconds between two looks."""


def worst(
    events: Sequence[Event], fold: Callable[[Event], None], left: Callable[[float], float | None]
) -> tuple[float, float]:
    """How far off the time left was at worst, as a factor of 1 or more, and when, as a share of the job."""
    took, found, coming = events[-1][0], (1.0, 0.0), list(events)
    at = LOOKS
    while at < took - LAST:
        while coming and coming[0][0] <= at:
            fold(coming.pop(0))
        if at >= max(FIRST, took / 10):
            ratio = (left(at) or 1e-9) / (took - at)
            found = max(found, (max(ratio, 1 / ratio), at / took))
        at += LOOKS
    return found


def _new(run: Run) -> RunProgress:
    return RunProgress(run.variant, run.label, run.experiment.seed, json.dumps(run.experiment.as_json()))


def training(name: str, rounds: int, **changes: object) -> Timed:
    draft = presets.get(name).draft.with_base({"rounds": rounds, **changes})
    runs = draft.runs(reference=True)
    progress = Progress((), ())
    progress.runs = [
        RunProgress(r.variant, r.label, r.experiment.seed, json.dumps(r.experiment.as_json())) for r in runs
    ]
    events, began = list[Event](), time.process_time()
    for turn in drive({i: run.experiment for i, run in enumerate(runs)}):
        events += [(time.process_time() - began, turn.run, event) for event in turn.events]

    def fold(event: Event) -> None:
        at, run, body = event
        if (done := progress._fold(body, run)) is not None:
            progress._pace.note(at, done)

    return events, worst(events, fold, lambda at: progress.seconds_left(rounds, at=at))


def sweep(base: dict[str, Any], grid: Mapping[str, Any], seeds: int) -> Timed:
    asked = parse_sweep({"base": base, "grid": grid, "seeds": seeds})
    events, began = list[Event](), time.process_time()

    def tick(share: float) -> None:
        events.append((time.process_time() - began, 0, {"event": "round", "share": share}))

    experiments = [cell.experiment for cell in asked.cells]
    for _ in train_all(experiments, tick=WorkDone(experiments, tick)):
        pass
    first, last = events[0], events[0]

    def fold(event: Event) -> None:
        nonlocal last
        if event[0] - last[0] >= work_share.EVERY_SECONDS:
            last = event

    def left(at: float) -> float | None:
        share = last[2]["share"]
        return work_share.estimate(last[0] - first[0], share - first[2]["share"], 1 - share, at - last[0])

    return events, worst(events, fold, left)


FIVE = {"clients.epsilon": [0.5, 1, 2, 4, 8], "clients.range": [0.1, 0.25, 0.5, 1, 2]}
UNLIKE = {"rounds": [5, 15, 40, 100], "clients.count": [5, 10, 20, 30]}
FEW = {"clients.epsilon": [0.5, 2, 8], "rounds": [5, 20, 80, 480]}
JOBS: dict[str, Callable[[], Timed]] = {
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
            events, (factor, when) = job()
            kept[name] = [(round(at, 3), run, body["event"]) for at, run, body in events]
            print(f"{name}: {events[-1][0]:.1f} s, off by {factor:.2f} at {when:.0%}", flush=True)
    if options.keep:
        options.keep.write_text(json.dumps(kept))


if __name__ == "__main__":
    main()
