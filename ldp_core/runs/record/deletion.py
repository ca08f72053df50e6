"""Deletion of jobs and its undo: the row is marked, and for a while the mark can be taken away. After that
`sweep` deletes the row, and all computations that no job names.
"""

import logging
import shutil
import time
from collections.abc import Callable
from contextlib import suppress

from ldp_core.errors import DiskFull, NotNow, StorageFailed, UnknownJob
from ldp_core.runs import queue
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.permissions import OPERATOR, Person
from ldp_core.runs.record import computations
from ldp_core.runs.storage import disk_space
from ldp_core.runs.storage.inventory import StoredItem

UNDO_SECONDS = 600.0
"""Time for which a deletion can be undone, unless disk space is short."""


def delete(identity: str, person: Person = OPERATOR, for_good: bool = False) -> None:
    """Delete an ended job; for `UNDO_SECONDS` that can be undone, its record counting in the quota, unless
    `for_good`, private, or where room is short. NotNow: the job waits, runs or is pinned; StorageFailed: the
    deletion cannot be stored.
    """
    with suppress(StorageFailed):  # what cannot be written is said by the deletion itself
        disk_space.with_reserve(queue.reap)
    job = queue.get(identity)
    person.check(job.owner, "delete it")
    if not (forget if for_good or job.room else _mark)(job):
        try:
            job = queue.get(job.id)
        except UnknownJob:
            return  # the worker has forgotten it in between
        if job.live:
            raise NotNow(f"job {job.id} is {job.status}; stop it before it is deleted")
        raise NotNow(f"job {job.id} is pinned; unpin it before it is deleted")


def undo_delete(identity: str, person: Person = OPERATOR) -> None:
    """Undo the deletion of a job; UnknownJob if it was not deleted, or for good."""
    for job in deleted():
        if job.id == identity:
            person.check(job.owner, "bring it back")
            if queue.update(identity, f"deleted >= {time.time() - UNDO_SECONDS}", deleted=None):
                return
    raise UnknownJob(identity)


def deleted(person: Person = OPERATOR) -> list[Job]:
    """Jobs whose deletion this person may undo, latest first."""
    return [job for job in queue.deleted()[::-1] if person.owns(job.owner) and not is_due(job)]


def _mark(job: Job) -> bool:
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


def lying() -> list[StoredItem]:
    return queue.lying()


def erase(identity: str) -> bool:
    """Delete a job for good; False if it waits, runs or is pinned."""
    found = [job for job in (*queue.find("id = ?", (identity,)), *queue.deleted()) if job.id == identity]
    return all(map(forget, found))


def strip(job: Job) -> bool:
    """Delete a job's computations and keep its row; False if it waits, runs or is pinned."""
    done = _noted(job, lambda: queue.note_removed(job.id))
    computations.sweep()
    return done


def _noted(job: Job, note: Callable[[], bool]) -> bool:
    """Call `note` to mark a job; on a full disk in the room of the reserve, or else of the job's record."""
    try:
        with suppress(DiskFull):
            return disk_space.with_reserve(note)
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
