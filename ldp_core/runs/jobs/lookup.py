"""Current status of jobs: orphaned ones are marked interrupted, and a worker is started for queued ones."""

import logging
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ldp_core.errors import StorageFailed, UnknownJob
from ldp_core.runs import kinds, queue
from ldp_core.runs.process.start import ensure_worker
from ldp_core.runs.queue.job import STALLED, Job
from ldp_core.runs.queue.permissions import OPERATOR, Person
from ldp_core.runs.record import computations
from ldp_core.runs.storage import disk_space
from ldp_core.runs.storage import locks_and_heartbeats as locks
from ldp_core.runs.storage.paths import runs_dir


def look(identity: str, person: Person = OPERATOR) -> Job:
    """Current status of a job; UnknownJob if there is none, or if it is another person's private job."""
    job = queue.get(identity)
    refuse_others(job, person)
    if not job.live:
        return job
    lost = reap()
    trouble = wake() if job.status == "queued" else ""
    job = as_shown(queue.get(identity), lost)
    if job.live and (short := disk_space.shortage()):
        waits = "it begins" if job.status == "queued" else "what becomes of it is told"
        trouble = trouble or f"{short}; {waits} as soon as there is room"
    return replace(job, message=trouble) if trouble and job.live else job


def refuse_others(job: Job, person: Person) -> None:
    if job.room and not (person == OPERATOR or (person.owner and person.owner == job.owner)):
        raise UnknownJob(job.id)


def of_draft(draft_id: str, kind: str = "run", most: int = 20) -> list[Job]:
    """The latest jobs of one kind that were launched from a draft, newest first."""
    found = queue.find("draft = ? AND kind = ?", (draft_id, kind), most=most)
    return [job for job in found if job.brief]  # what cannot be read any more is on the list of all


def recent(most: int = 10, owner: str | None = None, room: str = "", viewer: str | None = None) -> list[Job]:
    """The latest jobs, newest first: of one owner, of a private room, or all that are not private, with the
    private ones of `viewer`; without those of kinds that are not listed.
    """
    lost, (where, values) = refreshed(), listed_ones(owner, room, viewer)
    return [as_shown(job, lost) for job in queue.find(where, values, most)]


def listed_ones(owner: str | None, room: str, viewer: str | None) -> tuple[str, tuple[str | None, ...]]:
    """SQL condition, with its values, for the jobs that `recent` lists."""
    where, values = ("(room = ? OR owner = ?)", (room, viewer)) if owner is None else ("owner = ?", (owner,))
    unlisted = [name for name in kinds.names() if not kinds.get(name).listed]
    return f"{where} AND kind NOT IN ({','.join('?' * len(unlisted))})", (*values, *unlisted)


def refreshed() -> list[str]:
    """Have orphaned jobs marked and queued ones served; `reap` says what it returns."""
    lost = reap()
    if queue.find("status = 'queued'", most=1):
        wake()
    return lost


def reap() -> list[str]:
    """Mark orphaned jobs as interrupted; returns the ids of those whose row could not be updated."""
    with suppress(StorageFailed):
        disk_space.with_reserve(queue.reap)
        return []
    with suppress(StorageFailed):
        lost = queue.lost()
        logging.warning("could not be marked as interrupted: %s", ", ".join(lost))
        return lost
    return []


def as_shown(job: Job, lost: Collection[str]) -> Job:
    """A job with what its row lacks: whether it is orphaned, stalls, or runs on another machine."""
    if not job.live:
        return job
    if job.id in lost:
        message = f"{queue.STOPPED}; nothing can be noted on the disk now"
        return replace(job, status="interrupted", message=message)
    said = ""
    if job.status == "queued":
        with suppress(StorageFailed):  # of a damaged row
            if any(map(computations.is_being_computed, job.keys)):
                said = "another job is at what it asks for, and it is seen here too"
    elif (who := locks.worker()) and not who.here:
        said = f"done by {who.in_words()}"
    return _if_it_moves(replace(job, message="; ".join(filter(None, [job.message, said]))))


def wake(newest: bool = False) -> str:
    """Start a worker unless one runs; returns a sentence if that fails, else ""."""
    try:
        ensure_worker(newest)
    except (OSError, StorageFailed) as error:  # the lock is held too long, or nothing can be written
        logging.warning("no worker: %s", error)
        return "no worker can be started on this server now; it is tried again as long as somebody looks"
    return ""


def _if_it_moves(job: Job) -> Job:
    """A job, marked stalled if its process makes no progress; a queued one, if the worker does not."""
    # as long as the one that trains goes on, the worker does not matter
    beating = ((path, who) for path in _files(job) if (who := locks.holder(path)) and who.beats)
    path, who = next(beating, (None, None))
    if path is None or who is None or not (still := locks.stands_still(path)):
        return job
    worker = path.name == locks.WORKER
    words = f"the worker, {who.in_words()}," if worker else f"{who.in_words()}, which trains,"
    words += f" has stood still for {still:.0f} s; its operator can continue it (kill -CONT) or "
    words += "end it (kill -KILL), and another one begins: what was trained is kept"
    if job.status == "queued":
        words = f"it cannot begin: {words}"
    status = job.status if job.status == "queued" else STALLED
    return replace(job, status=status, message="; ".join(filter(None, [words, job.message])))


def look_twice(identity: str) -> None:
    """Wait until heartbeats of a job's processes are read twice, which makes the next stall check certain."""
    with suppress(UnknownJob):
        if (job := queue.get(identity)).live:
            locks.look_twice(_files(job))


def _files(job: Job) -> list[Path]:
    found = list[Path]()
    with suppress(StorageFailed):  # of a damaged row
        found += [computations.lock_of(key) for key in job.keys if job.status != "queued"]
    return [*found, runs_dir() / locks.WORKER]
