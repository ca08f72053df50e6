"""What people do to a job: stop it, take it up, pin it, delete it, and undo that for a while."""

from __future__ import annotations

import time
from collections.abc import Callable

from ldp_core.errors import NotNow, NotYours, UnknownJob
from ldp_core.runs import kinds, queue
from ldp_core.runs.jobs.lookup import look, reap, wake
from ldp_core.runs.jobs.submission import admit
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.people import OPERATOR, Person
from ldp_core.runs.queue.states import LIVE, RESUMABLE
from ldp_core.runs.record import quota, removal

BY_A_TEACHER = "a teacher has stopped it"


def cancel(identity: str, person: Person = OPERATOR) -> Job:
    """Ask for a job to stop: at once if it is queued, within seconds if it runs.

    A job that has ended stays as it is.
    """
    owner = queue.get(identity).owner
    person.check(owner)
    queue.cancel(identity, BY_A_TEACHER if person.owner and person.owner != owner and owner else "")
    return look(identity)


def cancel_all(person: Person = OPERATOR) -> int:
    """Stop all that waits or runs; returns how many jobs that are.

    Raises:
        NotYours: only a teacher may.
    """
    if not person.teacher:
        raise NotYours("only a teacher can stop what others have launched")
    found = queue.find(f"status IN {LIVE}", most=100_000)
    for job in found:
        queue.cancel(job.id, BY_A_TEACHER if person.owner else "")
    return len(found)


def resume(identity: str, person: Person = OPERATOR, address: str | None = None) -> Job:
    """Take up a job that was stopped, where it stopped; it waits its turn. All is asked that launching asks.

    A job that is waiting, running or finished stays as it is.

    Args:
        address: from where, if that is known: the job counts there from now on.

    Raises:
        InvalidExperiment: it cannot fit, or would take too long, by the limits of today.
        QueueFull: its owner, this address, or everybody together, has enough jobs waiting.
        NotNow: another job of the same draft waits or runs, or the record comes from a file.
        StorageFailed: the disk is nearly full, or knows no locks; or its request cannot be read any more.
    """
    job = look(identity)
    person.check(job.owner)
    if job.status in RESUMABLE:
        if job.imported:
            raise NotNow(
                f"run {job.id} was brought here as a file, so it cannot go on where it stopped; copy its "
                "settings and train them"
            )
        made = kinds.get(job.kind)
        asked = made.parse(job.request)
        admit(job.kind, asked)
        keys = [one.key for one in made.computations(asked, job.id, job.room)]
        if queue.requeue(identity, address, keys) and not kinds.settle(queue.get(identity)):
            wake()
    return look(identity)


def pin(identity: str, person: Person = OPERATOR, on: bool = True) -> None:
    """Keep a job's record whatever happens, or no longer.

    Half of the quota is the most that visitors may keep pinned; a teacher may pin all.

    Raises:
        NotNow: its record was removed before, or too much is pinned already.
    """
    if not person.owns(queue.get(identity).owner):
        raise NotYours("only whoever launched this job can pin it, or a teacher")
    most = None if person.teacher else quota.most_bytes() // 2
    quota.pin(identity, on, most, kinds.storage_of)


def remove(identity: str, person: Person = OPERATOR) -> None:
    """Delete a job that has ended, with its record, for good.

    Raises:
        NotNow: it waits or runs, or is pinned.
        StorageFailed: it is still being written, or this cannot be noted.
    """
    _end(identity, person, removal.forget)


def _end(identity: str, person: Person, how: Callable[[Job], bool]) -> None:
    """Delete a job in one way or another; raises what `remove` does."""
    reap()
    job = queue.get(identity)
    if not person.owns(job.owner):
        raise NotYours("only whoever launched this job can delete it, or a teacher")
    if not how(job):
        if (job := queue.get(job.id)).live:
            raise NotNow(f"job {job.id} is {job.status}; stop it before it is deleted")
        raise NotNow(f"job {job.id} is pinned; unpin it before it is deleted")


def delete(identity: str, person: Person = OPERATOR) -> None:
    """Delete a job that has ended, with its record. It is in no list any more, counts for what it takes on
    the disk, and can be brought back for `removal.UNDO_SECONDS`; what is private, or where room is short,
    goes for good.

    Raises:
        NotNow: it waits or runs, or is pinned.
        StorageFailed: it is still being written, or this cannot be noted.
    """
    _end(identity, person, lambda job: (removal.forget if job.room else removal.delete)(job))


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


def relabel(identity: str, name: str, note: str, person: Person = OPERATOR) -> None:
    """Give a job a name of its own and a note; both empty: as it was.

    Raises:
        InvalidInput: one of them is too long.
    """
    if not person.owns(queue.get(identity).owner):
        raise NotYours("only whoever launched this job can name it, or a teacher")
    queue.relabel(identity, name, note)
