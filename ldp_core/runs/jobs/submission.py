"""Submission of jobs: estimated, refused if they cannot fit, completed at once if all results are known; and
changes to a job: cancel, resume, pin, rename. Deletion and its undo are in `record.deletion`.
"""

import time
from typing import Any

from ldp_core.cost.seconds import USUAL, in_words
from ldp_core.errors import InvalidExperiment, InvalidInput, NotNow, NotYours, printable
from ldp_core.experiment import Draft
from ldp_core.runs import kinds, queue
from ldp_core.runs.jobs.lookup import look, of_draft, wake
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.machine.calibration import rates
from ldp_core.runs.queue.job import FINAL, LIVE, RESUMABLE, Job
from ldp_core.runs.queue.permissions import OPERATOR, Person
from ldp_core.runs.record import own_data, quota
from ldp_core.runs.storage.disk_space import refuse_a_full_disk
from ldp_core.runs.storage.locks_and_heartbeats import refuse_without_locks
from ldp_core.settings import MOST_HOURS

CLICK_SECONDS = 1.0
"""Two launches of equal settings within this time count as a double click."""

UNSURE = 10.0
"""Factor by which an unmeasured machine may be slower or faster than `USUAL`."""
BY_A_TEACHER = "a teacher has stopped it"
MOST_NAME, MOST_NOTE = 80, 500


def launch(
    kind: str,
    asked: Any,
    draft_id: str | None = None,
    *,
    owner: str | None = None,
    address: str | None = None,
    room: str | None = None,
) -> str:
    """Put a job in the queue, or complete it at once if its results are known; returns its id. `asked` is the
    request as the kind's `read` returns it; see `queue.permissions` for the digests of owner, address and
    room. Raises InvalidExperiment: the job cannot fit into memory or onto the disk, or would take too long;
    QueueFull: enough jobs are waiting; StorageFailed: the disk is nearly full, or has no file locks.
    """
    made = kinds.get(kind)
    admit(kind, asked)
    request = made.request(asked)
    room = room or own_data.room_for(request, owner)
    if draft_id and (same := _a_moment_ago(kind, draft_id, request)):
        return same
    new = queue.new_id()
    keys = [one.key for one in made.computations(asked, new, room)]
    kinds.give_up_what_is_damaged(keys)
    identity = queue.add(kind, request, draft_id, owner, address, identity=new, keys=keys, room=room)
    if identity != new or not kinds.settle(queue.get(identity)):
        wake(newest=True)
    return identity


def submit(draft: Draft, draft_id: str | None = None, *, reference: bool = False, **who: str | None) -> str:
    """Launch the training of a draft; with `reference`, also without noise for comparison. See `launch`."""
    return launch("run", Training(draft, reference), draft_id, **who)


def admit(kind: str, asked: Any) -> None:
    """Check a job, whether new or resumed, before it enters the queue; errors as for `launch`."""
    refuse_too_much(kind, asked)
    refuse_without_locks()
    refuse_a_full_disk(kinds.get(kind).cost(asked).storage)


def refuse_too_much(kind: str, asked: Any) -> None:
    """Raise InvalidExperiment for a request that exceeds memory, disk or the time limit of a job."""
    made, known = kinds.get(kind), rates()
    made.refuse_what_cannot_fit(asked)
    most, seconds = 3600 * MOST_HOURS.value(), made.cost(asked).seconds(known or USUAL)
    if seconds <= (most if known else UNSURE * most):
        return
    message = (
        f"would take about {in_words(seconds)} on this server, and one job may take {in_words(most)}; try "
        "fewer rounds, runs or seeds, or a smaller model"
    )
    raise InvalidExperiment.at("rounds", message)


def _a_moment_ago(kind: str, draft_id: str, request: dict[str, Any]) -> str | None:
    """Id of a job with this request that ended uncancelled since the first click of a double click."""
    for job in of_draft(draft_id, kind, most=1):
        just_now = time.time() - CLICK_SECONDS < (job.ended or 0.0) <= time.time()
        if job.request == request and job.status != "cancelled" and just_now:
            return job.id
    return None


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
