"""Disk quota of stored runs, and the order of deletion beyond it.

A job's row stays in the queue with a note; only the computations that no other job names are deleted
(`removal`). Jobs that a person deleted go first, although they could still be restored; pinned, queued and
running jobs stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ldp_core.errors import NotNow, StorageFailed
from ldp_core.runs import queue
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.states import FINAL
from ldp_core.runs.record import computations, removal
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.settings.table import QUOTA_GB

Takes = Callable[[Job], int]


@dataclass(frozen=True)
class Kept:
    """A job and the bytes of its record."""

    job: Job
    size: int
    """Bytes of the job's computations that no older job names."""


def kept() -> list[Kept]:
    """All jobs with a record, newest first."""
    return _weighed(job for job in queue.find(most=100_000)[::-1] if job.keys and not job.removed)[::-1]


def _weighed(oldest_first: Iterable[Job]) -> list[Kept]:
    """Jobs with the bytes that deleting each would free."""
    counted, found = set[str](), list[Kept]()
    for job in oldest_first:
        new = set(job.keys) - counted
        counted |= new
        found.append(Kept(job, sum(map(computations.size_of, new))))
    return found


def pin(identity: str, on: bool = True, most: int | None = None, takes: Takes = lambda _: 0) -> None:
    """Exempt a job's record from deletion, or end that.

    Args:
        most: limit on the bytes of pinned records; None for no limit.
        takes: estimates the final bytes of the record of a running job.

    Raises:
        NotNow: the record is deleted already, or too much is pinned.
    """
    job = queue.get(identity)
    if on and most is not None and not job.pinned:
        _refuse_hoards(job, most, takes)
    if queue.set_pinned(identity, on).removed and on:
        raise NotNow(f"the record of job {job.id} was removed to make room; there is nothing to pin")


def _refuse_hoards(job: Job, most: int, takes: Takes) -> None:
    def to_come(one: Job) -> int:
        return 0 if one.status in FINAL else max(0, takes(one) - _bytes(one.keys))

    before = [one.job for one in kept() if one.job.pinned]
    keys = {key for one in before for key in one.keys}
    pinned = _bytes(keys) + sum(map(to_come, before))
    more = _bytes(set(job.keys) - keys) + to_come(job)
    if pinned + more > most:
        raise NotNow(
            f"pinned runs take {pinned / 1e6:.1f} MB, this one {more / 1e6:.1f} MB, and visitors may keep "
            f"{most / 1e6:.1f} MB pinned; unpin one of yours, or ask a teacher"
        )


def _bytes(keys: Iterable[str]) -> int:
    return sum(map(computations.size_of, set(keys)))


def taken() -> int:
    """Bytes of all stored records, including those that no job names."""
    return sum(_files().values())


def _files() -> dict[Path, int]:
    """Sizes of the files of records, unreadable ones that were moved aside included."""
    found = dict[Path, int]()
    for ending in ("sqlite", "damaged"):
        for file in (runs_dir() / "computed").rglob(f"*.{ending}"):
            with suppress(FileNotFoundError):  # it goes with the last job of its key
                found[file] = file.stat().st_size
    return found


def prune(most: int | None = None) -> list[Kept]:
    """Delete records until all take at most `most` bytes; returns the jobs that lost theirs.

    First go records that no job names or whose job was deleted, then imported ones, then the oldest. A record
    that several jobs name goes with the last of them.

    Raises:
        StorageFailed: nothing was deleted, because the deletion cannot be stored.
    """
    limit = most_bytes() if most is None else most
    jobs = [*queue.deleted(), *_in_order()]
    names = Counter(key for job in jobs for key in set(job.keys))
    sizes = {key: computations.size_of(key) for key in names}
    files, removed = _files(), list[Kept]()
    total = sum(files.values())
    for file, size in files.items():
        if total > limit and _go(file, names):
            total -= size
    stays = {key for job in jobs if job.pinned or job.live for key in job.keys}
    for job in jobs:
        if total <= limit:
            break
        if job.pinned or job.live or not any(sizes[key] for key in set(job.keys) - stays):
            continue
        try:
            done = removal.forget(job) if job.deleted is not None else removal.strip(job)
        except StorageFailed:
            if not removed:
                raise
            break
        if done:
            names.subtract(set(job.keys))
            freed = sum(sizes.pop(key) for key in set(job.keys) if not names[key])
            total -= freed
            removed.append(Kept(job, freed))
    removal.sweep()
    return removed


def _go(file: Path, names: Collection[str]) -> bool:
    """Delete a file that no job names; False if a job does, or if the file is in use or unknown."""
    if file.suffix == ".damaged":
        with suppress(OSError):
            file.unlink(missing_ok=True)
            return True
        return False
    key = computations.key_in(file)
    return key not in names and computations.KEY.fullmatch(key) is not None and computations.unlink(key)


def _in_order() -> list[Job]:
    """All jobs in the order of deletion: imported ones first, then by age."""
    return sorted(queue.find(most=100_000), key=lambda job: (not job.imported, job.place))


def most_bytes() -> int:
    return int(QUOTA_GB.value() * 1e9)
