"""Jobs as a list shows them: name and status; a damaged job does not affect the others."""

from __future__ import annotations

from dataclasses import dataclass

from ldp_core.runs import kinds
from ldp_core.runs.jobs.lookup import recent
from ldp_core.runs.queue.job import REMOVED, Job
from ldp_core.runs.record.events import is_damaged

DAMAGED = "damaged: its record cannot be read"


@dataclass(frozen=True)
class Listed:
    job: Job
    name: str
    """The experiment's name as typed; "" if it has none."""
    rounds: int
    """Planned rounds of each run; 0 if the request cannot be read."""
    damaged: bool
    imported: bool = False
    """True for an imported job, whose figures may have been changed by hand."""

    @property
    def state(self) -> str:
        more = DAMAGED if self.damaged else REMOVED if self.job.removed else ""
        return f"{self.job.status}, {more}" if more else self.job.status

    def in_words(self) -> str:
        if self.damaged or self.job.long:  # that would take as long as a hundred others
            return self.name
        try:
            made = kinds.get(self.job.kind)
            said = made.describe(made.parse(self.job.request))
        except kinds.UNREADABLE:
            return self.name
        rest = f"{said.size}, {said.compared}" if said.compared else said.size
        return f"{self.name}: {rest}" if self.name else rest


def listed(most: int = 200) -> list[Listed]:
    return [describe(job) for job in recent(most)]


def describe(job: Job) -> Listed:
    """Name, number of rounds and readability of a job."""
    try:
        base = kinds.get(job.kind).base(job.brief)
        name, rounds = str(base["name"]), int(base["rounds"])
    except kinds.UNREADABLE:
        return Listed(job, "", 0, True)
    return Listed(job, name, rounds, is_damaged(job), job.imported)
