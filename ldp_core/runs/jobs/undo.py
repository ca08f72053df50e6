"""To delete a job so that it can be brought back for a while, and to bring it back."""

from __future__ import annotations

import time
from contextlib import suppress

from ldp_core.errors import DiskFull, NotYours, StorageFailed, UnknownJob
from ldp_core.runs import queue
from ldp_core.runs.jobs.control import end, remove
from ldp_core.runs.queue.aside import Aside
from ldp_core.runs.queue.people import OPERATOR, Person
from ldp_core.runs.record import removal


def delete(identity: str, person: Person = OPERATOR) -> None:
    """Delete a job that has ended, with its record. It is in no list any more, counts for what it takes on
    the disk, and can be brought back for `removal.UNDO_SECONDS`; where room is short it goes for good.

    Raises:
        UnknownJob: there is no such job.
        NotYours: somebody else has launched it.
        NotNow: it waits or runs, or is pinned.
        StorageFailed: its folder cannot be renamed.
    """
    try:
        end(identity, person, lambda job: removal.delete(job.id, job.folder))
    except DiskFull:
        remove(identity, person)


def bring_back(identity: str, person: Person = OPERATOR) -> None:
    """Have a deleted job as it was.

    Raises:
        UnknownJob: it was not deleted, or is gone for good.
        NotYours: somebody else has launched it.
        NotNow: another job has its id now.
        StorageFailed: its folder cannot be renamed.
    """
    found = next((one for one in queue.aside() if one.job.id == identity), None)
    if found is None:
        raise UnknownJob(identity)
    if not person.owns(found.job.owner):
        raise NotYours("only whoever launched this job can bring it back, or a teacher")
    removal.bring_back(identity)


def deleted(person: Person = OPERATOR) -> list[Aside]:
    """What this person may bring back, what was deleted last at the beginning."""
    if any(time.time() - one.at > removal.UNDO_SECONDS for one in queue.aside()):
        with suppress(StorageFailed):
            removal.sweep()
    return [one for one in queue.aside()[::-1] if person.owns(one.job.owner)]
