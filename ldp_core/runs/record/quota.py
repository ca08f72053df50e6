"""A clean house: what the runs take on the disk, and which go first when it is too much.

A job's row stays in the queue with a note; what is removed is its folder of events. Pinned jobs, and
those that wait or run, are never touched.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from ldp_core.errors import DiskFull, NotNow, StorageFailed, UnknownJob
from ldp_core.runs import queue
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.states import FINAL
from ldp_core.runs.record import run_cache
from ldp_core.runs.record.weights import File, Kept, Scales, files_of, weighed
from ldp_core.runs.storage import disk_space
from ldp_core.runs.storage.holding import is_written
from ldp_core.runs.storage.paths import runs_dir

QUOTA = 5 * 10**9
"""Bytes that all records together may take; EPSILON_QUOTA_GB says otherwise."""
MOST_GB = 1e9
"""More than any disk holds: what "inf" means."""
PIN = "pinned"
GONE = ".removed"
"""What the names of records end in that were removed and are still there."""
Takes = Callable[[Job], int]
BESIDE = 50 * 10**6
"""Bytes, outside the quota, that records may take which only refer to others."""


class Stuck(StorageFailed):
    """A record's folder that cannot be renamed."""


def kept() -> list[Kept]:
    """Every job that has a record, the newest first."""
    jobs = [job for job in queue.find(most=100_000) if job.folder.is_dir()]
    pinned = {job.id: is_pinned(job) for job in jobs}
    return weighed(reversed(jobs), pinned)[::-1]


def is_pinned(job: Job) -> bool:
    """True for a record that stays whatever happens."""
    return (job.folder / PIN).exists()


def pin(identity: str, on: bool = True, most: int | None = None, takes: Takes = lambda _: 0) -> None:
    """Keep a job's record whatever happens, or no longer.

    Args:
        identity: of the job.
        on: pin or unpin it.
        most: bytes that pinned records may take, if that is limited.
        takes: bytes that the record of a job takes that still grows.

    Raises:
        UnknownJob: there is no such job.
        NotNow: its record was removed before, or too much is pinned already.
        StorageFailed: its folder cannot be written to.
    """
    with queue.held(identity) as job:  # or its record might be removed at this moment
        if on and job.removed:
            raise NotNow(f"the record of job {job.id} was removed to make room; there is nothing to pin")
        if on and most is not None and not is_pinned(job):
            _refuse_hoards(job, most, takes)
        try:
            if on:
                job.folder.mkdir(parents=True, exist_ok=True)
                (job.folder / PIN).touch()
            else:
                (job.folder / PIN).unlink(missing_ok=True)
        except OSError as error:
            raise StorageFailed(f"the record of job {job.id} cannot be written to") from error


def _refuse_hoards(job: Job, most: int, takes: Takes) -> None:
    def to_come(one: Job, files: Mapping[File, int]) -> int:
        return 0 if one.status in FINAL else max(0, takes(one) - sum(files.values()))

    before, (own, _) = [one for one in kept() if one.pinned], files_of(job.folder)
    files = {file: size for one in before for file, size in one.files.items()}
    pinned = sum(files.values()) + sum(to_come(one.job, one.files) for one in before)
    more = sum(size for file, size in own.items() if file not in files) + to_come(job, own)
    if pinned + more > most:
        raise NotNow(
            f"pinned runs take {pinned / 1e6:.1f} MB, this one {more / 1e6:.1f} MB, and visitors may keep "
            f"{most / 1e6:.1f} MB pinned; unpin one of yours, or ask a teacher"
        )


def taken() -> int:
    """Bytes that all records together take."""
    return sum(one.size for one in kept())


def prune(most: int | None = None) -> list[Kept]:
    """Remove the oldest records until all of them take at most `most` bytes; returns what was removed.

    Raises:
        StorageFailed: nothing could be removed, because that cannot be noted.
    """
    limit = most_bytes() if most is None else most
    scales, removed = Scales(kept()[::-1]), list[Kept]()
    for one in scales.in_order():
        too_much = scales.total > limit or (one.beside and scales.beside > (BESIDE if limit else 0))
        if not too_much:
            continue
        try:
            done = remove_with(partial(queue.strip, one.job.id), one.job.folder)
        except Stuck as error:  # this one stays; it may not keep the others
            logging.warning("%s", error)
            continue
        except StorageFailed:
            if not removed:
                raise
            break
        if done:
            scales.remove(one)
            removed.append(one)
    sweep()
    return removed


def remove_with(note: Callable[[Callable[[], bool]], bool], folder: Path) -> bool:
    """Put a record away while it is noted that it is gone; False, and nothing is done, if it may not be.

    On a full disk there may be no room to note it in, and nothing kept back any more. Only then what takes
    the room is removed before it is noted: whoever is killed at this moment leaves a job without its record.

    Args:
        note: does what it is given, and writes down that it is done.
        folder: the record.

    Raises:
        Stuck: the folder cannot be renamed.
        StorageFailed: it cannot be noted. The record is back in its place, unless it had to go first and
            even the room that it took was not enough.
    """
    try:
        with suppress(DiskFull):
            return note(partial(put_away_unpinned, folder))
        sweep()  # which brings the record back
        disk_space.give_up()
        with suppress(DiskFull):
            return note(partial(put_away_unpinned, folder))
        sweep()
        return note(partial(_clear_unpinned, folder))
    finally:
        sweep()
        disk_space.keep_back()


def _clear_unpinned(folder: Path) -> bool:
    """Put a record away and remove it at once; False for one that was pinned since it was looked at."""
    if not put_away_unpinned(folder):
        return False
    for away in folder.parent.glob(f"{folder.name}.*{GONE}"):
        shutil.rmtree(away, ignore_errors=True)
    return True


def put_away_unpinned(folder: Path) -> bool:
    """Put a record away; False for one that was pinned since it was looked at, which stays."""
    if (folder / PIN).exists():
        return False
    put_away(folder)
    return True


def put_away(folder: Path) -> None:
    """Give a record another name, under which it is nobody's and waits to be removed.

    Raises:
        Stuck: it cannot be renamed, or somebody still writes to it.
    """
    if is_written(folder):
        raise Stuck(f"the record of job {folder.name} is still being written; try again in a moment")
    try:
        folder.rename(folder.with_name(f"{folder.name}.{secrets.token_hex(3)}{GONE}"))
    except FileNotFoundError:
        pass
    except OSError as error:
        why = f"the record of job {folder.name} cannot be removed ({error.strerror})"
        raise Stuck(f"{why}; see who may write to the folder of runs") from error


def sweep() -> list[str]:
    """Remove what was put away; what else belongs to no job is left alone: the queue may have been lost.

    What the queue knows nothing of, because it could not be written or somebody was killed before it was,
    is brought back.
    """
    root, removed = runs_dir() / "jobs", []
    for folder in [folder for folder in root.glob(f"*{GONE}") if folder.is_dir()]:
        try:
            if _brought_back(folder):
                continue
        except (StorageFailed, OSError):  # nobody can tell now
            logging.exception("%s stays", folder.name)
            continue
        run_cache.forget(folder.name.partition(".")[0])
        shutil.rmtree(folder, ignore_errors=True)
        removed.append(folder.name)
    return removed


def _brought_back(folder: Path) -> bool:
    """Give a record its name again if its job is there and nothing says that it was removed."""
    identity = folder.name.partition(".")[0]
    try:
        if queue.get(identity).removed:
            return False
        with queue.held(identity) as job:  # nobody is about to write it down
            if job.removed or job.folder.exists():
                return False
            folder.rename(job.folder)
            return True
    except UnknownJob:
        return False


def most_bytes() -> int:
    """Bytes that all records together may take; what is not a positive number counts for nothing."""
    try:
        asked = float(os.environ["EPSILON_QUOTA_GB"])
    except (KeyError, ValueError):
        return QUOTA
    return int(min(asked, MOST_GB) * 1e9) if asked > 0 else QUOTA
