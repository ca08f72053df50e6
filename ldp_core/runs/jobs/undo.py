"""To delete a job so that it can be brought back for a while, and to bring it back."""

from __future__ import annotations

import time

from ldp_core.errors import NotYours, UnknownJob
from ldp_core.runs import queue
from ldp_core.runs.jobs.control import end
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.people import OPERATOR, Person
from ldp_core.runs.record import removal


def delete(identity: str, person: Person = OPERATOR) -> None:
    """Delete a job that has ended, with its record. It is in no list any more, counts for what it takes on
    the disk, and can be brought back for `removal.UNDO_SECONDS`; what is private, or where room is short,
    goes for good.

    Raises:
        NotNow: it waits or runs, or is pinned.
        StorageFailed: it is still being written, or this cannot be noted.
    """
    end(identity, person, lambda job: (removal.forget if job.room else removal.delete)(job))


def bring_back(identity: str, person: Person = OPERATOR) -> None:
    """Have a deleted job as it was.

    Raises:
        UnknownJob: it was not deleted, or is gone for good.
    """
    found = next((job for job in queue.deleted() if job.id == identity), None)
    if found is None or removal.is_due(found):
        raise UnknownJob(identity)
    if not person.owns(found.owner):
        raise NotYours("only whoever launched this job can bring it back, or a teacher")
    queue.bring_back(identity, time.time() - removal.UNDO_SECONDS)


def deleted(person: Person = OPERATOR) -> list[Job]:
    """Deleted jobs that this person may restore, latest first."""
    return [job for job in queue.deleted()[::-1] if person.owns(job.owner) and not removal.is_due(job)]
