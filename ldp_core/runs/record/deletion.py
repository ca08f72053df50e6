"""Deletion of jobs: the row is marked; once it is final, `sweep` deletes computations that no job names."""

import logging
import shutil
import time
from collections.abc import Callable
from contextlib import suppress

from ldp_core.errors import DiskFull, StorageFailed
from ldp_core.runs import queue
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import computations
from ldp_core.runs.storage import disk_space

UNDO_SECONDS = 600.0
"""Time for which a deleted job can be restored, unless disk space is short."""


def delete(job: Job) -> bool:
    """Mark a job as deleted; False if it waits, runs or is pinned."""
    try:
        done = queue.delete(job.id)
    except DiskFull:
        return forget(job)
    sweep()
    return done


def forget(job: Job) -> bool:
    """Delete a job for good, with what it alone names; False if it waits, runs or is pinned."""
    if job.deleted is None and not _noted(job, lambda: queue.delete(job.id, at=0.0)):
        return False
    done = _forgotten(job)
    sweep()
    return done


def _forgotten(job: Job) -> bool:
    if done := queue.forget(job.id):
        shutil.rmtree(job.folder, ignore_errors=True)
    return done


def strip(job: Job) -> bool:
    """Delete a job's computations and keep its row; False if it waits, runs or is pinned."""
    done = _noted(job, lambda: queue.note_removed(job.id))
    computations.sweep()
    return done


def _noted(job: Job, note: Callable[[], bool]) -> bool:
    """Call `note` to mark a job; on a full disk free the reserve first, then the job's record."""
    try:
        with suppress(DiskFull):
            return note()
        disk_space.give_up()
        with suppress(DiskFull):
            return note()
        if not (now := queue.get(job.id)).live and not now.pinned:
            for key in computations.named_by_it_alone(job.id):
                computations.unlink(key)
        return note()
    finally:
        disk_space.keep_back()


def sweep() -> list[str]:
    """Delete jobs whose time to restore is over, and what no job names; returns the jobs' ids."""
    done = list[str]()
    try:
        done += (job.id for job in queue.deleted() if is_due(job) and _forgotten(job))
        computations.sweep()
    except StorageFailed:  # unknown now
        logging.exception("not everything that is due is removed")
    return done


def is_due(job: Job) -> bool:
    """True for a deleted job that can no longer be restored; also after a clock was set back."""
    return not 0 <= time.time() - (job.deleted or 0.0) <= UNDO_SECONDS or disk_space.is_tight()
