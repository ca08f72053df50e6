"""Jobs in words and as JSON: name, status and progress; a damaged job does not affect the others."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ldp_core.errors import StorageFailed, UnknownName
from ldp_core.runs import kinds, queue
from ldp_core.runs.jobs.lookup import look, recent
from ldp_core.runs.queue.job import REMOVED, STALLED, Job
from ldp_core.runs.record.events import Stored, events_of, is_damaged
from ldp_core.runs.record.time_left import how_far
from ldp_core.runs.storage.locks_and_heartbeats import worker
from ldp_core.runs.view.final_figures import Final

MOST = 5000
"""Number of jobs in the list of runs, the newest ones."""
FINALS = TypeAdapter(tuple[Final, ...])
DAMAGED = "damaged: its record cannot be read"


@dataclass(frozen=True)
class Listed:
    job: Job
    name: str
    """The experiment's name as typed; "" if it has none."""
    rounds: int
    """Planned rounds of each run; 0 if the request cannot be read."""
    damaged: bool

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


@dataclass(frozen=True)
class Line:
    job: Job
    """The job, without its request unless `whole` loaded it."""
    finals: tuple[Final, ...]
    """Final figures of each variant; of a job without variants, one; empty before the end."""
    equal: int = 1
    """Number of jobs that this line stands for."""


def lines(viewer: str | None = None, mine: bool = False) -> list[Line]:
    """Jobs in the list of runs of a person, newest first: all that are not private, and their own; or
    only their own.
    """
    found = recent(MOST, viewer if mine else None, requests=False, viewer=viewer)
    return [Line(job, () if job.live else _finals(job.noted)) for job in found]


def folded(some: Iterable[Line], owner: str | None) -> list[Line]:
    """One line for all completed jobs of the same computations without name or note, `owner`'s first."""
    found = dict[Hashable, Line]()
    for line in some:
        job = line.job
        alone = not job.keys or job.status != "completed" or job.name or job.note or job.pinned
        key: Hashable = job.id if alone else (job.kind, job.keys, job.room)
        known = found.get(key)
        shown = known if known and (known.job.owner == owner or job.owner != owner) else line
        found[key] = replace(shown, equal=known.equal + 1 if known else 1)
    return [*found.values()]


def whole(some: Sequence[Line]) -> list[Line]:
    """The same jobs with their requests loaded; jobs deleted meanwhile are left out."""
    ids = [line.job.id for line in some]
    jobs = {job.id: job for job in queue.find(f"id IN ({','.join('?' * len(ids))})", (*ids,), len(ids))}
    here = (line for line in some if line.job.id in jobs)
    return [replace(line, job=replace(line.job, text=jobs[line.job.id].text)) for line in here]


@lru_cache(maxsize=2 * MOST)
def _finals(text: str | None) -> tuple[Final, ...]:
    try:
        return FINALS.validate_json(text or "[]")
    except ValidationError:
        return ()


def describe(job: Job) -> Listed:
    try:
        base = kinds.get(job.kind).base(job.brief)
        name, rounds = str(base["name"]), int(base["rounds"])
    except kinds.UNREADABLE:
        return Listed(job, "", 0, True)
    return Listed(job, name, rounds, is_damaged(job))


def status(identity: str) -> dict[str, Any]:
    job = look(identity)
    events = list[Stored]()
    try:
        events = events_of(job)
    except StorageFailed as error:  # what the queue knows can still be shown
        job = replace(job, message=f"{job.message}; {error}" if job.message else str(error))
    try:
        own = kinds.get(job.kind).status(job, events)
    except UnknownName:  # of a version that knew other kinds
        own = {}
    who = worker()
    at = how_far(job) if job.status in ("running", "cancelling", STALLED) else None
    return {
        "id": job.id,
        "kind": job.kind,
        "status": job.status,
        "message": job.message,
        "doing": str(at.step) if at and at.step.doing else "",
        "done": at.step.done if at else 0,
        "total": at.step.total if at else 0,
        "seconds_left": at.left if at else None,
        "ahead": sum(map(len, queue.before(job))) if job.status == "queued" else 0,
        "pid": job.pid if who is None or who.here else None,  # elsewhere it is another process's number
        **own,
    }
