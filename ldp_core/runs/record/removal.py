"""How a record goes: its row says so first, then its folder is renamed, then removed.

A process that is killed in between leaves what the next sweep finishes. What somebody has deleted stays where
it is for a while, and is brought back by its row alone.
"""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ldp_core.errors import DiskFull, StorageFailed
from ldp_core.runs import queue
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.table import changing, selected
from ldp_core.runs.record import run_cache
from ldp_core.runs.storage import disk_space
from ldp_core.runs.storage.holding import is_written
from ldp_core.runs.storage.paths import runs_dir

GONE = ".removed"
"""What the names of folders end in whose rows say that they go, and …"""
ARRIVING = ".arriving"
"""… of those that are being brought here as a file, by whoever holds them."""
UNDO_SECONDS = 600.0
"""So long a deleted job can be brought back, unless the disk is short of room."""


def delete(job: Job) -> bool:
    """Mark a job as deleted; False if it waits, runs or is pinned.

    Raises:
        StorageFailed: it cannot be noted, or its record is still being written.
    """
    _refuse_writers(job)
    try:
        done = queue.delete(job.id)
    except DiskFull:
        return forget(job)
    sweep()
    return done


def forget(job: Job) -> bool:
    """Delete a job for good, with its record; False if it waits, runs or is pinned.

    Raises:
        StorageFailed: it cannot be noted, or its record is still being written.
    """
    _refuse_writers(job)
    if job.deleted is None and not _noted(job, lambda: queue.delete(job.id, at=0.0)):
        return False
    return _clear(job.id, for_good=True)


def strip(job: Job) -> bool:
    """Remove a job's record to make room; its row stays. False if it waits, runs, is pinned or is written.

    Raises:
        StorageFailed: it cannot be noted.
    """
    if is_written(job.folder) or not _noted(job, lambda: queue.note_removed(job.id)):
        return False
    return _clear(job.id)


def _noted(job: Job, note: Callable[[], bool]) -> bool:
    """On a full disk the record goes before it is noted: whoever is killed then leaves a job without one."""
    try:
        with suppress(DiskFull):
            return note()
        disk_space.give_up()
        with suppress(DiskFull):
            return note()
        if not (now := queue.get(job.id)).live and not now.pinned:
            shutil.rmtree(job.folder, ignore_errors=True)
        return note()
    finally:
        disk_space.keep_back()


def _refuse_writers(job: Job) -> None:
    if is_written(job.folder):
        raise StorageFailed(f"the record of job {job.id} is still being written; try again in a moment")


def sweep() -> list[str]:
    """Remove what is due; returns the ids of its jobs. A folder that no row speaks of is left alone: the
    database may have been lost.
    """
    done = list[str]()
    try:
        due = {job.id: True for job in queue.deleted() if is_due(job)}
        stripped = queue.find("removed IS NOT NULL", most=100_000)
        gone = {job.id: False for job in stripped if job.folder.exists()}
        done += [identity for identity, for_good in (due | gone).items() if _clear(identity, for_good)]
    except StorageFailed:  # nobody can tell now
        logging.exception("not everything that is due is removed")
    for folder in (runs_dir() / "jobs").glob("*"):
        if folder.suffix == GONE or (folder.suffix == ARRIVING and not is_written(folder)):
            shutil.rmtree(folder, ignore_errors=True)
    return done


def is_due(job: Job) -> bool:
    """True for a deleted job that comes back no more; also after a clock was set back."""
    return not 0 <= time.time() - (job.deleted or 0.0) <= UNDO_SECONDS or disk_space.is_tight()


def _clear(identity: str, for_good: bool = False) -> bool:
    """Remove the folder of a job whose row says that it goes, and, for good, the row; False if it says so no
    more, or if the folder is being written or cannot be renamed.
    """
    says = "deleted IS NOT NULL" if for_good else "removed IS NOT NULL"  # which who takes it up undoes
    with changing() as db:  # or it could be taken up at this moment
        job = next(selected(db, f"id = ? AND {says}", (identity,)), None)
        if job is None or is_written(job.folder) or not _put_away(job.folder):
            return False
        if for_good:
            db.execute("DELETE FROM jobs WHERE id = ?", (identity,))
    run_cache.forget(identity)
    shutil.rmtree(job.folder.with_name(identity + GONE), ignore_errors=True)
    return True


def _put_away(folder: Path) -> bool:
    away = folder.with_name(folder.name + GONE)
    shutil.rmtree(away, ignore_errors=True)
    try:
        folder.rename(away)
    except FileNotFoundError:
        pass
    except OSError as error:
        logging.warning("the record of job %s cannot be removed (%s)", folder.name, error.strerror)
        return False
    return True
