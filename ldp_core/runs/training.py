"""The process that trains one job: from the queue's request to stored events."""

from __future__ import annotations

import ctypes
import json
import logging
import os
import signal
import sys
from pathlib import Path
from typing import Any

from ldp_core.errors import StudioError
from ldp_core.experiment import parse_draft
from ldp_core.runs.drive import drive, one_thread
from ldp_core.runs.store import Recorder

OUTCOME = "outcome.json"


class Stopped(BaseException):
    """The person asked to cancel. Not an Exception, so that nothing swallows it."""


def train_job(folder: Path, request: dict[str, Any], parent: int) -> None:
    """Train everything that a request asks for; runs in a process of its own.

    Leaves `outcome.json` in the folder: how it ended, and why.
    """
    _die_with(parent)
    signal.signal(signal.SIGTERM, _stop)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        outcome = _train(folder, request)
    except StudioError as error:
        outcome = {"status": "failed", "message": str(error)}
    except MemoryError:
        outcome = {"status": "failed", "message": "the machine ran out of memory; try fewer clients"}
    except Stopped:
        outcome = {"status": "cancelled", "message": ""}
    except Exception as error:
        logging.exception("job failed")
        outcome = {"status": "failed", "message": f"an error in the program: {type(error).__name__}"}
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    partial = folder / f"{OUTCOME}.partial"
    partial.write_text(json.dumps(outcome))
    partial.replace(folder / OUTCOME)


def _train(folder: Path, request: dict[str, Any]) -> dict[str, str]:
    one_thread()
    draft = parse_draft(request["draft"])
    reference = draft.reference() if request.get("reference") else None
    runs = draft.runs() + ([reference] if reference else [])
    recorder = Recorder(folder, runs)
    diverged: list[str] = []
    try:
        for run, event in drive([run.experiment for run in runs]):
            recorder.write(run, event)
            if event["event"] == "end" and event["status"] == "diverged":
                diverged.append(event["message"])
    finally:
        recorder.close()
    if len(diverged) == len(runs):
        return {"status": "diverged", "message": diverged[0]}
    return {
        "status": "completed",
        "message": f"{len(diverged)} of {len(runs)} runs diverged" if diverged else "",
    }


def _stop(signum: int, frame: Any) -> None:
    raise Stopped


def _die_with(parent: int) -> None:
    """Ask the kernel to end this process when the worker ends, however that happens."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        sys.exit("the worker ended before its job began")
