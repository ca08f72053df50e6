"""Jobs as a list shows them: each with its name and state, and a damaged one harms no other."""

from __future__ import annotations

from dataclasses import dataclass

from ldp_core.errors import StorageFailed
from ldp_core.runs import jobs
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.quota import REMOVED, is_pinned
from ldp_core.runs.record.store import database, glance

DAMAGED = "damaged: its record cannot be read"


@dataclass(frozen=True)
class Listed:
    """One job in a few words."""

    job: Job
    name: str
    """As somebody typed it; "" if it has none."""
    rounds: int
    """Planned, of each run; 0 if its request cannot be read."""
    damaged: bool
    pinned: bool = False

    @property
    def state(self) -> str:
        """Its state in words."""
        gone = REMOVED in self.job.message
        return (
            f"{self.job.status}, {DAMAGED if self.damaged else REMOVED}"
            if self.damaged or gone
            else self.job.status
        )


def listed(most: int = 200) -> list[Listed]:
    """The newest jobs of everybody, newest first."""
    return [describe(job) for job in jobs.recent(most)]


def describe(job: Job) -> Listed:
    """One job in a few words; a look at its record says whether that can be read."""
    try:
        draft = job.request["draft"]
        name, rounds = str(draft["base"]["name"]), int(draft["base"]["rounds"])
    except (LookupError, TypeError, ValueError, OverflowError):
        return Listed(job, "", 0, True, is_pinned(job))
    return Listed(job, name, rounds, _is_damaged(job), is_pinned(job))


def _is_damaged(job: Job) -> bool:
    path = database(job.folder)
    try:
        # nothing is what a job has that has not begun, or one whose record was removed
        return not glance(job.folder) and path.exists() and not job.live
    except StorageFailed:
        return True
