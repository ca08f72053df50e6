"""Changes to a job: cancel, resume, pin, rename. Deletion and its undo are in `record.deletion`."""

from ldp_core.errors import InvalidInput, NotNow, NotYours, printable
from ldp_core.runs import kinds, queue
from ldp_core.runs.jobs.lookup import look, wake
from ldp_core.runs.jobs.submission import admit
from ldp_core.runs.queue.job import FINAL, LIVE, RESUMABLE, Job
from ldp_core.runs.queue.permissions import OPERATOR, Person
from ldp_core.runs.record import quota

BY_A_TEACHER = "a teacher has stopped it"
MOST_NAME, MOST_NOTE = 80, 500


def cancel(identity: str, person: Person = OPERATOR) -> Job:
    """Stop a job: at once if queued, within seconds if running; an ended job is left alone."""
    owner = queue.get(identity).owner
    person.check(owner, "stop it", ownerless=True)
    queue.cancel(identity, BY_A_TEACHER if person.owner and person.owner != owner and owner else "")
    return look(identity)


def cancel_all(person: Person = OPERATOR) -> int:
    """Cancel all queued and running jobs, if the person is a teacher; returns their number."""
    if not person.teacher:
        raise NotYours("only a teacher can stop what others have launched")
    found = queue.find(f"status IN {LIVE}", most=100_000, requests=False)
    for job in found:
        queue.cancel(job.id, BY_A_TEACHER if person.owner else "")
    return len(found)


def resume(identity: str, person: Person = OPERATOR, address: str | None = None) -> Job:
    """Put a stopped job back in the queue, to continue from its last checkpoint and count as a job of
    `address`. Raises as `launch`, and NotNow: another job of the same draft waits or runs, or this one was
    imported.
    """
    job = look(identity)
    person.check(job.owner, "take it up", ownerless=True)
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
    """Exempt a job's record from deletion by the quota, or end that (`on` False). Visitors may pin half of
    the quota, a teacher all of it. NotNow if the record is deleted already, or too much is pinned.
    """
    job = queue.get(identity)
    person.check(job.owner, "pin it")
    if on and not (person.teacher or job.pinned):
        _refuse_hoards(job, quota.most_bytes() // 2)
    if not queue.update(identity, "removed IS NULL", pinned=on) and on:
        raise NotNow(f"the record of job {job.id} was removed to make room; there is nothing to pin")


def _refuse_hoards(job: Job, most: int) -> None:
    """Refuse to pin a job if all pinned records, once complete, would take more than `most` bytes."""

    def to_come(one: Job) -> int:
        return 0 if one.status in FINAL else max(0, kinds.storage_of(one) - quota.bytes_of(one.keys))

    before = [one.job for one in quota.kept() if one.job.pinned]
    keys = {key for one in before for key in one.keys}
    pinned = quota.bytes_of(keys) + sum(map(to_come, before))
    more = quota.bytes_of(set(job.keys) - keys) + to_come(job)
    if pinned + more > most:
        raise NotNow(
            f"pinned runs take {pinned / 1e6:.1f} MB, this one {more / 1e6:.1f} MB, and visitors may keep "
            f"{most / 1e6:.1f} MB pinned; unpin one of yours, or ask a teacher"
        )


def relabel(identity: str, name: str, note: str, person: Person = OPERATOR) -> None:
    """Give a job a name and a note, or raise InvalidInput; empty strings restore the original name."""
    person.check(queue.get(identity).owner, "name it")
    given = {"name": name.strip(), "note": note.strip()}
    for what, most in (("name", MOST_NAME), ("note", MOST_NOTE)):
        if len(given[what]) > most:
            raise InvalidInput(f"a {what} has at most {most} characters; got {len(given[what])}: shorten it")
        if not printable(given[what]):
            raise InvalidInput(f"a {what} holds half a character, which no file takes: type it again")
    queue.update(identity, **given)
