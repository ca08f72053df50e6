"""Jobs whose process lives and does not move: told, with what to do, and never called running."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ldp_core.errors import UnknownJob
from ldp_core.runs import queue
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.states import STALLED
from ldp_core.runs.storage import locks
from ldp_core.runs.storage.locks import WORKER, WRITER, Holder, holder, is_written, stands_still
from ldp_core.runs.storage.paths import runs_dir

GOES_ON = "it goes on when it is let"


def unmoved(job: Job) -> Job:
    """A job as it is told: stalled, if the process that does it stands still; and one that waits says so if
    the worker does.
    """
    if not job.live:
        return job
    trains = job.status != "queued" and is_written(job.folder)
    path = _files(job)[0 if trains else -1]
    still, who = stands_still(path), holder(path)
    if not still:
        return job
    words = _training(who, still) if trains else _worker(who, still)
    if job.status == "queued":
        return _telling(job, f"it cannot begin: {words}")
    return _telling(replace(job, status=STALLED), words)


def look_twice(identity: str) -> None:
    """For whoever asks but once: have the next look at this job be sure."""
    with suppress(UnknownJob):
        locks.look_twice(_files(queue.get(identity)))


def _files(job: Job) -> list[Path]:
    """What is held by those who do a job: the one that trains, and the worker."""
    return [job.folder / WRITER] * (job.status != "queued") + [runs_dir() / WORKER] if job.live else []


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
