"""The process that trains one job: from the queue's request to stored events."""

from __future__ import annotations

import ctypes
import errno
import json
import logging
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ldp_core.errors import StudioError
from ldp_core.experiment import Run, parse_draft
from ldp_core.runs import finished
from ldp_core.runs.drive import drive, one_thread
from ldp_core.runs.paths import runs_dir
from ldp_core.runs.store import Recorder, events_after
from ldp_core.runs.within import Within

OUTCOME = "outcome.json"


DISK_FULL = 28
"""The exit code of a process that could not even write down how it ended."""


def disk_full() -> str:
    """What to say and to do when there is no room."""
    free = shutil.disk_usage(runs_dir()).free
    return (
        f"the disk is full ({free / 1e6:.0f} MB free); what was trained is kept: remove something and go on "
        "where it stopped"
    )


class Stopped(BaseException):
    """The person asked to cancel. Not an Exception, so that nothing swallows it."""


def train_job(folder: Path, request: dict[str, Any], parent: int) -> None:
    """Train everything that a request asks for, or what is left of it; runs in a process of its own.

    Leaves `outcome.json` in the folder: how it ended, and why.
    """
    _die_with(parent)
    signal.signal(signal.SIGTERM, _stop)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / OUTCOME).unlink(missing_ok=True)  # of an earlier attempt
    try:
        outcome = _train(folder, request)
    except StudioError as error:
        outcome = {"status": "failed", "message": str(error)}
    except (sqlite3.Error, OSError) as error:
        full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
        full = full or getattr(error, "sqlite_errorname", "") in ("SQLITE_FULL", "SQLITE_IOERR_WRITE")
        logging.exception("the record cannot be written")
        message = disk_full() if full else f"its record cannot be written ({type(error).__name__})"
        outcome = {"status": "failed", "message": message}
    except MemoryError:
        outcome = {"status": "failed", "message": "the machine ran out of memory; try fewer clients"}
    except Stopped:
        outcome = {"status": "cancelled", "message": ""}
    except Exception as error:
        logging.exception("job failed")
        outcome = {"status": "failed", "message": f"an error in the program: {type(error).__name__}"}
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    partial = folder / f"{OUTCOME}.partial"
    try:
        partial.write_text(json.dumps(outcome))
        partial.replace(folder / OUTCOME)
    except OSError:
        os._exit(DISK_FULL)  # no room even for that: the worker says it


def _train(folder: Path, request: dict[str, Any]) -> dict[str, str]:
    one_thread()
    draft = parse_draft(request["draft"])
    reference = draft.reference() if request.get("reference") else None
    runs = draft.runs() + ([reference] if reference else [])
    recorder = Recorder(folder, runs)
    try:
        starts = recorder.starts()
        done = recorder.ended() | _known(recorder, folder, runs, set(starts))
        left = {i: run.experiment for i, run in enumerate(runs) if i not in done}
        for turn in drive(left, starts, Within(folder)):
            recorder.write(turn)
            end = turn.events[-1]
            if end["event"] == "end" and end["status"] == "completed":
                recorder.flush()
                finished.note(runs[turn.run].experiment.key, folder.name, turn.run)
    finally:
        recorder.close()
    ends = [event.body for event in events_after(folder) if event.body["event"] == "end"]
    diverged = [end["message"] for end in ends if end["status"] == "diverged"]
    if len(diverged) == len(runs):
        return {"status": "diverged", "message": diverged[0]}
    return {
        "status": "completed",
        "message": f"{len(diverged)} of {len(runs)} runs diverged" if diverged else "",
    }


def _known(recorder: Recorder, folder: Path, runs: Sequence[Run], begun: set[int]) -> set[int]:
    """Take over the runs that some job has finished before; returns their numbers."""
    found = set()
    for number, run in enumerate(runs):
        if number in begun or number in recorder.ended():
            continue
        known = finished.find(run.experiment.key)
        if known is not None and known[0] != folder.name:
            recorder.copy(number, known[1], known[0])
            found.add(number)
    return found


def _stop(signum: int, frame: Any) -> None:
    raise Stopped


def _die_with(parent: int) -> None:
    """Ask the kernel to end this process when the worker ends, however that happens."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        sys.exit("the worker ended before its job began")
