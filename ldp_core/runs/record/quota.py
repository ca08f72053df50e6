"""A clean house: what the runs take on the disk, and which go first when it is too much.

A job's row stays in the queue with a note; what is removed is its folder of events (`removal`). What came as
a file goes first, then what somebody has deleted, though it could still be brought back; pinned jobs, and
those that wait or run, are never touched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ldp_core.errors import NotNow, StorageFailed
from ldp_core.runs import queue
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.states import FINAL
from ldp_core.runs.record import removal
from ldp_core.runs.record.weights import File, Kept, Scales, files_of, weighed
from ldp_core.settings.table import QUOTA_GB

Takes = Callable[[Job], int]
BESIDE = 50 * 10**6
"""Bytes, outside the quota, that records may take which only refer to others."""


def kept() -> list[Kept]:
    """Every job that has a record, the newest first."""
    jobs = [job for job in queue.find(most=100_000) if job.folder.is_dir()]
    return weighed(reversed(jobs))[::-1]


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
    """
    job = queue.get(identity)
    if on and most is not None and not job.pinned:
        _refuse_hoards(job, most, takes)
    if queue.set_pinned(identity, on).removed and on:
        raise NotNow(f"the record of job {job.id} was removed to make room; there is nothing to pin")


def _refuse_hoards(job: Job, most: int, takes: Takes) -> None:
    def to_come(one: Job, files: Mapping[File, int]) -> int:
        return 0 if one.status in FINAL else max(0, takes(one) - sum(files.values()))

    before, (own, _) = [one for one in kept() if one.job.pinned], files_of(job.folder)
    files = {file: size for one in before for file, size in one.files.items()}
    pinned = sum(files.values()) + sum(to_come(one.job, one.files) for one in before)
    more = sum(size for file, size in own.items() if file not in files) + to_come(job, own)
    if pinned + more > most:
        raise NotNow(
            f"pinned runs take {pinned / 1e6:.1f} MB, this one {more / 1e6:.1f} MB, and visitors may keep "
            f"{most / 1e6:.1f} MB pinned; unpin one of yours, or ask a teacher"
        )


def taken() -> int:
    """Bytes that all records together take, those among them that were deleted and may come back."""
    return _scales().total


def _scales() -> Scales:
    return Scales([*weighed(queue.deleted()), *kept()[::-1]])


def prune(most: int | None = None) -> list[Kept]:
    """Remove the oldest records until all of them take at most `most` bytes; returns what was removed.

    Raises:
        StorageFailed: nothing could be removed, because that cannot be noted.
    """
    limit = most_bytes() if most is None else most
    scales, removed = _scales(), list[Kept]()
    for one in scales.in_order():
        too_much = scales.total > limit or (one.beside and scales.beside > (BESIDE if limit else 0))
        if not too_much:
            continue
        try:
            done = removal.forget(one.job) if one.job.deleted is not None else removal.strip(one.job)
        except StorageFailed:
            if not removed:
                raise
            break
        if done:
            scales.remove(one)
            removed.append(one)
    removal.sweep()
    return removed


def most_bytes() -> int:
    """Bytes that all records together may take."""
    return int(QUOTA_GB.value() * 1e9)
