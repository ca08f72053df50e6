"""The process that computes one job, from the queue's request to its outcome."""

import json
import logging
import os
import signal
import sqlite3
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from ldp_core import datasets
from ldp_core.errors import StudioError
from ldp_core.limits import number
from ldp_core.runs import kinds
from ldp_core.runs.lockstep import one_thread
from ldp_core.runs.machine.slots import Slot
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.time_left import Reporter
from ldp_core.runs.storage.database import be_patient
from ldp_core.runs.storage.disk_space import full_disk, is_full
from ldp_core.system import memory, preemption, process_group

STOP_SECONDS = 10
"""Time to close the record after SIGTERM."""


class Stopped(BaseException):
    """The job was cancelled. No subclass of Exception, so that no handler of errors catches it."""


def train_process(tell: Connection, job: Job, slot: Slot, parent: int) -> None:
    """Entry point of the process of one job; the outcome is sent through `tell`."""
    preemption.listen()
    process_group.end_when_asked()
    process_group.begin(parent)
    memory.be_given_up(memory.FIRST)
    slot.enter()
    be_patient()
    import torch

    if not torch.cuda.is_available():
        memory.limit(slot.memory)
    outcome = train_job(job, slot.memory)
    with suppress(OSError):  # the reader has gone
        tell.send_bytes(json.dumps(outcome).encode())
    os._exit(0)  # whatever it has started and not ended is not waited for


def train_job(job: Job, room: int) -> kinds.JobEnd:
    """Compute what is left of a job, as stored in the queue, with at most `room` bytes of memory."""
    outcome = kinds.JobEnd("cancelled")
    with suppress(Stopped):
        signal.signal(signal.SIGTERM, _stop)
        try:
            job.folder.mkdir(parents=True, exist_ok=True)
            one_thread()
            if datasets.registry.named_in(json.dumps(job.request)):  # others need not read all folders
                datasets.registry.look_anew()
            outcome = kinds.get(job.kind).run(job, Reporter(job.folder))
        except Exception as error:
            if not isinstance(error, StudioError):
                logging.exception("job failed")
            outcome = kinds.JobEnd("failed", _in_words(error, job, room))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return outcome


def _in_words(error: Exception, job: Job, room: int) -> str:
    """Error message without paths."""
    if is_full(error):
        return full_disk(kinds.storage_of(job))
    if isinstance(error, StudioError):
        return str(error)
    if memory.ran_out(error):
        return (
            f"it ran out of memory: a job may fill {number(room / 1e9, 2)} GB on this server; try a smaller "
            "model, fewer clients or fewer runs at a time"
        )
    if isinstance(error, sqlite3.Error | OSError):
        return f"its record cannot be written ({type(error).__name__})"
    return f"an error in the program: {type(error).__name__}"


def _stop(signum: int, frame: Any) -> None:
    """Stop the computation. Python ignores exceptions in `__del__` and callbacks, and a closing record may
    wait for ever, so SIGALRM ends the process after STOP_SECONDS.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(STOP_SECONDS)
    raise Stopped
