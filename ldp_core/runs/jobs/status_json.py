"""Status of a job as JSON values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ldp_core.errors import StorageFailed, UnknownName
from ldp_core.runs import kinds, queue
from ldp_core.runs.jobs.lookup import look
from ldp_core.runs.queue.states import STALLED
from ldp_core.runs.record.events import Stored, events_of
from ldp_core.runs.record.progress import how_far
from ldp_core.runs.storage.locks import worker


def status(identity: str) -> dict[str, Any]:
    """Status of a job: common fields, and those of its kind."""
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
        "ahead": queue.ahead_of(job) if job.status == "queued" else 0,
        "pid": job.pid if who is None or who.here else None,  # elsewhere it is another process's number
        **own,
    }
