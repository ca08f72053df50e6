"""Jobs in words and as JSON: name, status and progress; a damaged job does not affect the others."""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ldp_core.errors import StorageFailed, UnknownName
from ldp_core.runs import kinds, queue
from ldp_core.runs.jobs.lookup import as_shown, listed_ones, look, recent, refreshed
from ldp_core.runs.queue.job import REMOVED, STALLED, STUDIO, Job
from ldp_core.runs.record.events import StoredEvent, events_of, is_damaged
from ldp_core.runs.record.time_left import how_far
from ldp_core.runs.storage.locks_and_heartbeats import worker
from ldp_core.runs.view.final_figures import Final

MOST = 5000
"""Number of jobs in the list of runs, the newest ones."""
EQUAL = (
    "iif(status = 'completed' AND name || note = '' AND NOT pinned AND json_valid(keys) AND keys != '[]', "
    "json_array(kind, keys, room), id)"
)
"""SQL expression that is the same for jobs that are one line."""
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
    finals: tuple[Final, ...]
    """Final figures of each variant; of a job without variants, one; empty before the end."""
    equal: int = 1
    """Number of jobs that this line stands for."""


@dataclass(frozen=True)
class ListPage:
    """A page of a person's list of runs, and what the whole list holds."""

    lines: list[Line]
    rows: int
    jobs: int
    others: bool
    """Whether some of all that the person may see are not their own."""


def page(number: int, each: int, viewer: str | None = None, mine: bool = False, most: int = MOST) -> ListPage:
    """Page, from 1 (the last one for a later one), of a person's list of runs, newest first: all that are not
    private, and their own; or only their own. All completed ones of the same computations without name or
    note are one line, the viewer's first. No other job's request or figures are read.
    """
    lost, everybodys = refreshed(), listed_ones(None, "", viewer)
    where, values = listed_ones(viewer, "", viewer) if mine else everybodys
    query = f"SELECT id, owner IS ? AS own, {EQUAL} AS equal FROM jobs WHERE deleted IS NULL AND {where}"  # noqa: S608
    folded, count = dict[str, tuple[str, bool, int]](), 0
    for row in STUDIO.rows(f"{query} ORDER BY place DESC LIMIT ?", viewer, *values, most):
        shown, own, many = folded.get(row["equal"], (row["id"], bool(row["own"]), 0))
        if row["own"] and not own:
            shown, own = row["id"], True
        folded[row["equal"]], count = (shown, own, many + 1), count + 1
    number = max(1, min(number, -(-len(folded) // each)))
    asked = {shown: many for shown, _, many in islice(folded.values(), each * (number - 1), each * number)}
    found = queue.find(f"id IN ({','.join('?' * len(asked))})", (*asked,), each)
    jobs = {job.id: as_shown(job, lost) for job in found}
    others = bool(queue.find(f"{everybodys[0]} AND owner IS NOT ?", (*everybodys[1], viewer), 1))
    listed = [_line(jobs[identity], many) for identity, many in asked.items() if identity in jobs]
    return ListPage(listed, len(folded), count, others)


def _line(job: Job, equal: int = 1) -> Line:
    return Line(job, () if job.live else _finals(job.noted), equal)


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
    events = list[StoredEvent]()
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
        "ahead": queue.places().get(job.id, 0) if job.status == "queued" else 0,
        "pid": job.pid if who is None or who.here else None,  # elsewhere it is another process's number
        **own,
    }
