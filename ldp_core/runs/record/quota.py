"""Disk quota of stored runs. Beyond it records are deleted that no job names or whose job was deleted, then
the oldest of the address that takes most; pinned, queued and running jobs keep theirs, and every job its row.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ldp_core.errors import StorageFailed
from ldp_core.runs import queue
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import computations, deletion
from ldp_core.runs.storage.inventory import StoredItem, oldest_of_fullest
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.settings import QUOTA_GB


class Kept(NamedTuple):
    """A job and the bytes of its record, of what no older job names."""

    job: Job
    size: int


def kept() -> list[Kept]:
    """All jobs with a record, newest first, each with the bytes that its deletion would free."""
    counted, found = set[str](), list[Kept]()
    for job in queue.find(most=100_000)[::-1]:
        if job.keys and not job.removed:
            found.append(Kept(job, bytes_of(set(job.keys) - counted)))
            counted |= set(job.keys)
    return found[::-1]


def bytes_of(keys: Iterable[str]) -> int:
    found = 0
    for key in set(keys):
        with suppress(OSError, StorageFailed):
            found += computations.database(key).stat().st_size
    return found


def taken() -> int:
    """Bytes of all stored records, including those that no job names."""
    return sum(_files().values())


def _files() -> dict[Path, int]:
    found = dict[Path, int]()
    for ending in ("sqlite", "damaged"):
        for file in (runs_dir() / "computed").rglob(f"*.{ending}"):
            with suppress(FileNotFoundError):  # it goes with the last job of its key
                found[file] = file.stat().st_size
    return found


def prune(most: int | None = None) -> list[Kept]:
    """Delete records until all take at most `most` bytes; returns the jobs that lost theirs. StorageFailed if
    nothing was deleted, because the deletion cannot be stored.
    """
    limit, removed = most_bytes() if most is None else most, list[Kept]()
    jobs, files = [*queue.deleted(), *_in_turn(queue.find(most=100_000))], _files()
    named = {key for job in jobs for key in job.keys}
    total = sum(files.values())
    for file, size in files.items():
        if total > limit and _go(file, named):
            total -= size
    stays = {key for job in jobs if job.pinned or job.live for key in job.keys}
    for job in jobs:
        if total <= limit:
            break
        if job.pinned or job.live or not bytes_of(set(job.keys) - stays):
            continue
        try:
            done = deletion.forget(job) if job.deleted is not None else deletion.strip(job)
        except StorageFailed:
            if not removed:
                raise
            break
        if done:
            before, total = total, taken()
            removed.append(Kept(job, before - total))
    deletion.sweep()
    return removed


def _in_turn(jobs: Sequence[Job]) -> list[Job]:
    found = {job.id: job for job in jobs}
    entries = [
        StoredItem("job", job.id, bytes_of(job.keys), float(job.place), None, job.owner, job.address)
        for job in jobs
    ]
    return [found[one.id] for one in oldest_of_fullest(entries)]


def _go(file: Path, named: set[str]) -> bool:
    """Delete a file that no job names; False if a job does, or if the file is in use or unknown."""
    if file.suffix == ".damaged":
        with suppress(OSError):
            file.unlink(missing_ok=True)
            return True
        return False
    key = file.stem if file.parent.name == "computed" else f"{file.parent.name}.{file.stem}"
    return key not in named and computations.KEY.fullmatch(key) is not None and computations.unlink(key)


def most_bytes() -> int:
    return int(QUOTA_GB.value() * 1e9)
