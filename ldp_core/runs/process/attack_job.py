"""A job of kind "attack": an attacker's ladder, from the request to stored cells."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ldp_core.experiment import Run
from ldp_core.experiment.attack_grid import Ladder, parse_ladder
from ldp_core.runs.lockstep import Turn, load
from ldp_core.runs.record.preparing import teller
from ldp_core.runs.record.store import Recorder


def climb_stored(folder: Path, request: dict[str, Any]) -> dict[str, str]:
    """Climb the ladder of a request and store its events; returns the job's outcome.

    A ladder that was stopped is climbed again from below, to the same cells: what is stored already
    is not told twice.
    """
    from ldp_core.leakage.grid import climb

    ladder = parse_ladder(request["ladder"])
    recorder = Recorder(folder, [_as_run(ladder)])
    try:
        stored, began = recorder.told(0), time.perf_counter()
        outcome = {"status": "completed", "message": ""}
        for number, event in enumerate(climb(ladder, load(ladder.base.dataset, teller(folder)))):
            body = event.as_json()
            if number >= len(stored):
                recorder.write(Turn(0, [body], None, time.perf_counter() - began))
            if body["event"] == "end":
                outcome = {"status": body["status"], "message": body["message"]}
    finally:
        recorder.close()
    return outcome


def _as_run(ladder: Ladder) -> Run:
    """What stands in the record where a training job has its runs."""
    return Run(variant=0, label="ladder", experiment=ladder.base)
