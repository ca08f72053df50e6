"""Jobs whose process lives and does not move: told, with what to do, and never called running."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ldp_core.errors import UnknownJob
from ldp_core.runs import queue
from ldp_core.runs.process.registration import registered
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.states import STALLED
from ldp_core.runs.storage import heartbeat, presence
from ldp_core.runs.storage.holding import WRITER, Holder, holder, is_written

GOES_ON = "it goes on when it is let"


def unmoved(job: Job) -> Job:
    """A job as it is told: stalled, if the process that does it stands still; and one that waits says so if
    the worker does.
    """
    if job.status == "queued":
        worker = registered()
        still = presence.stands_still(worker) if worker else 0.0
        return _telling(job, f"it cannot begin: {_worker(worker, still)}") if worker and still else job
    if job.status not in ("running", "cancelling"):
        return job
    if is_written(job.folder):
        path = job.folder / WRITER
        still = heartbeat.stands_still(path)
        return _telling(replace(job, status=STALLED), _training(holder(path), still)) if still else job
    still = presence.stands_still(job.at) if job.at else 0.0
    return _telling(replace(job, status=STALLED), _worker(job.at, still)) if job.at and still else job


def look_twice(identity: str) -> None:
    """For whoever asks but once: have the next look at this job be sure."""
    with suppress(UnknownJob):
        heartbeat.look_twice(list(_files(queue.get(identity))))


def _files(job: Job) -> Iterator[Path]:
    if job.status in ("running", "cancelling"):
        yield job.folder / WRITER
    worker = registered() if job.status == "queued" else job.at
    if job.live and worker:
        yield presence.file_of(worker)


def _training(who: Holder | None, still: float) -> str:
    name = who.in_words() if who else "its process"
    return (
        f"{name}, which trains, has stood still for {still:.0f} s; {GOES_ON} (kill -CONT), "
        "or stop this job and take it up again: what was trained is kept"
    )


def _worker(who: Holder | None, still: float) -> str:
    name = f"the worker, {who.in_words()}," if who else "the worker"
    return (
        f"{name} has stood still for {still:.0f} s; {GOES_ON}: whoever runs this server can continue it "
        "(kill -CONT) or end it (kill -KILL), and another one begins"
    )


def _telling(job: Job, words: str) -> Job:
    return replace(job, message="; ".join(filter(None, [words, job.message])))
