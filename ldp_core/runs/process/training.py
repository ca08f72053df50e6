"""The process that trains one job: from the queue's request to stored events.

The same experiment and seed is never trained twice. What a job before has finished is copied; what
another job is training at this moment is waited for, after everything else of this job is done, and
then copied (or trained here, if the other one stopped). Who waits is queued again and takes nobody's
slot. Nobody waits who has not done all that is theirs, or holds anything, so no two jobs wait for each
other.
"""

from __future__ import annotations

import logging
import os
import signal
import sqlite3
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ldp_core import datasets
from ldp_core.errors import StorageFailed, StudioError
from ldp_core.experiment import Run, parse_draft
from ldp_core.runs import queue
from ldp_core.runs.lockstep import drive, one_thread
from ldp_core.runs.machine.slots import Slot
from ldp_core.runs.process.attack_job import climb_stored
from ldp_core.runs.queue.job import waiting_for
from ldp_core.runs.record import run_cache
from ldp_core.runs.record.preparing import nothing, teller
from ldp_core.runs.record.reuse import take_over
from ldp_core.runs.record.round_share import Within
from ldp_core.runs.record.store import Recorder, events_after
from ldp_core.runs.storage.database import be_patient
from ldp_core.runs.storage.disk_space import full_disk, is_full
from ldp_core.system import memory, process_group
from ldp_core.system.json_file import write_json

OUTCOME = "outcome.json"

DISK_FULL = 28
"""The exit code of a process that had no room to write down how it ended."""
NO_RECORD = 29
"""The exit code of one whose folder is gone or cannot be written."""


class Stopped(BaseException):
    """The person asked to cancel. Not an Exception, so that nothing swallows it."""


def train_process(folder: Path, request: dict[str, Any], slot: Slot, parent: int) -> None:
    """Train a job in this process, which was started for it and ends with it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    process_group.begin(parent)
    slot.enter()
    be_patient()
    if not _on_a_gpu():
        memory.limit(slot.memory)
    train_job(folder, request, slot.memory)
    os._exit(0)  # whatever it has started and not ended is not waited for


def train_job(folder: Path, request: dict[str, Any], room: int) -> None:
    """Train everything that a request asks for, or what is left of it.

    Leaves `outcome.json` in the folder: how it ended, and why.

    Args:
        folder: of the job.
        request: as the queue holds it.
        room: bytes that this process may fill, to be told when they are not enough.
    """
    signal.signal(signal.SIGTERM, _stop)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / OUTCOME).unlink(missing_ok=True)  # of an earlier attempt
        outcome = _train(folder, request)
    except Stopped:
        outcome = {"status": "cancelled", "message": ""}
    except Exception as error:
        if not isinstance(error, StudioError):
            logging.exception("job failed")
        outcome = {"status": "failed", "message": _in_words(error, request, room)}
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        write_json(folder / OUTCOME, outcome)
    except OSError as error:
        # no room even for that, or no place: the worker says it
        os._exit(DISK_FULL if is_full(error) else NO_RECORD)


def _in_words(error: Exception, request: dict[str, Any], room: int) -> str:
    """What went wrong, without paths."""
    if is_full(error):
        return full_disk(request)
    if isinstance(error, StudioError):
        return str(error)
    if memory.ran_out(error):
        return (
            f"it ran out of memory: a job may fill {room / 1e9:.2g} GB on this server; try a smaller model, "
            "fewer clients or fewer runs at a time"
        )
    if isinstance(error, sqlite3.Error | OSError):
        return f"its record cannot be written ({type(error).__name__})"
    return f"an error in the program: {type(error).__name__}"


def _on_a_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


def _train(folder: Path, request: dict[str, Any]) -> dict[str, str]:
    one_thread()
    nothing(folder)
    datasets.registry.look_anew()
    if not request.get("draft"):
        raise StorageFailed("what it was asked to do cannot be read any more; launch it again")
    if "ladder" in request:
        return climb_stored(folder, request)
    draft = parse_draft(request["draft"])
    runs = draft.runs(bool(request.get("reference")))
    recorder = Recorder(folder, runs)
    try:
        recorder.forget_what_cannot_go_on()
        pure = recorder.begun_by(run_cache.program())
        while left := {i: run for i, run in enumerate(runs) if i not in recorder.ended()}:
            # asked in this order, or a run that ends in between would be trained again
            theirs = run_cache.begin({run.experiment.key for run in left.values()}, folder.name)
            left = take_over(left, recorder)
            mine = _first_of_each(left, theirs)
            if mine:
                queue.say(folder.name, "")
                _drive(folder, mine, recorder, pure)
                run_cache.leave()  # of what diverged nothing is kept for others, who may now try
            elif left:
                return {"status": "queued", "message": waiting_for(min(theirs.values()))}
    finally:
        recorder.close()
        run_cache.leave()
    ends = [event.body for event in events_after(folder) if event.body["event"] == "end"]
    diverged = [end["message"] for end in ends if end["status"] == "diverged"]
    if len(diverged) == len(runs):
        return {"status": "diverged", "message": diverged[0]}
    return {
        "status": "completed",
        "message": f"{len(diverged)} of {len(runs)} runs diverged" if diverged else "",
    }


def _first_of_each(left: dict[int, Run], theirs: Collection[str]) -> dict[int, Run]:
    """What is to be trained here and now: each experiment once, and none that another job trains."""
    first = {run.experiment.key: number for number, run in reversed(left.items())}
    return {number: left[number] for key, number in first.items() if key not in theirs}


def _drive(folder: Path, runs: dict[int, Run], recorder: Recorder, pure: bool) -> None:
    """Train; what one version of the program has trained from beginning to end may be shown to others."""
    numbers = sorted(runs)
    experiments = {i: runs[i].experiment for i in numbers}
    for turn in drive(experiments, recorder.starts(), teller(folder), Within(folder)):
        recorder.write(turn)
        end = turn.events[-1]
        if pure and end["event"] == "end" and end["status"] == "completed":
            recorder.flush()
            run_cache.note(runs[turn.run].experiment.key, folder.name, turn.run)
    recorder.flush()


def _stop(signum: int, frame: Any) -> None:
    raise Stopped
