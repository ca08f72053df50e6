"""What records take on the disk: of a file that several of them have, the bytes count once.

A record that refers to another one has a second name for that one's database (`reference`). The oldest that
has it bears its weight; it is freed with the last, and is as young as the youngest: what somebody has just
been shown is no old thing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path

from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import reference

File = tuple[int, int]
"""A file's device and number, which all of its names share."""


@dataclass(frozen=True)
class Kept:
    """One job's record on the disk."""

    job: Job
    size: int
    """Bytes that count as its own."""
    files: Mapping[File, int]
    """The bytes of each of its files that counts."""
    beside: int = 0
    """Bytes that do not count: of a record that only refers to others, what it takes to do so."""

    @property
    def stays(self) -> bool:
        """True for what nobody may remove now."""
        return self.job.pinned or self.job.live


def files_of(folder: Path) -> tuple[dict[File, int], int]:
    """The bytes of each file of a record that counts, and those that do not."""
    counting, beside = dict[File, int](), 0
    refers_only = (folder / reference.ONLY).exists()
    for base, _, names in os.walk(folder):  # which overlooks what is gone since
        for name in names:
            with suppress(OSError):
                found = Path(base, name).lstat()
                if refers_only and not name.endswith(reference.ENDING):
                    beside += found.st_size
                else:
                    counting[found.st_dev, found.st_ino] = found.st_size
    return counting, beside


def weighed(jobs: Iterable[Job]) -> list[Kept]:
    """The records of jobs, in their order, which is that of their age, the oldest first."""
    counted, found = set[File](), list[Kept]()
    for job in jobs:
        files, beside = files_of(job.folder)
        size = sum(size for file, size in files.items() if file not in counted)
        counted |= files.keys()
        found.append(Kept(job, size, files, beside))
    return found


class Scales:
    """What is on the disk, while some of it is removed."""

    def __init__(self, oldest_first: list[Kept]) -> None:
        self._records = oldest_first
        self._sizes: dict[File, int] = {}
        self._holders: dict[File, set[str]] = {}
        for one in oldest_first:
            for file, size in one.files.items():
                self._sizes[file] = size
                self._holders.setdefault(file, set()).add(one.job.id)
        self.total = sum(self._sizes.values())
        self.beside = sum(one.beside for one in oldest_first)

    def in_order(self) -> list[Kept]:
        """What may be removed: what came as a file, then the rest, the oldest first; what gives nothing free,
        because somebody keeps it, last.
        """
        youngest = dict[File, float]()
        for age, one in enumerate(self._records):
            for file in one.files:
                youngest[file] = inf if one.stays else max(youngest.get(file, 0.0), float(age))
        ages = {
            one.job.id: max((youngest[file] for file in one.files), default=float(age))
            for age, one in enumerate(self._records)
        }
        going = [one for one in self._records if not one.stays]
        return sorted(going, key=lambda one: (not one.job.imported, ages[one.job.id]))

    def remove(self, one: Kept) -> None:
        """Count what is free now that a record is gone."""
        self.beside -= one.beside
        for file in one.files:
            self._holders[file].discard(one.job.id)
            if not self._holders[file]:
                self.total -= self._sizes[file]
