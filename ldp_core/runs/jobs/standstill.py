"""Jobs whose process lives and does not move: stalled, with what to do, and never called running."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ldp_core.errors import StorageFailed, UnknownJob
from ldp_core.runs import queue
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.states import STALLED
from ldp_core.runs.record.computations import lock_of
from ldp_core.runs.storage import locks
from ldp_core.runs.storage.locks import WORKER, Holder, holder
from ldp_core.runs.storage.paths import runs_dir

GOES_ON = "it goes on when it is let"


def unmoved(job: Job) -> Job:
    """A job as it is shown: stalled, if the process that does it stands still; and one that waits says so if
    the worker does.
    """
    for path in _files(job):
        who = holder(path)
        if who and who.beats:  # as long as the one that trains goes on, the worker does not matter
            still = locks.stands_still(path)
            break
    else:
        return job
    if not still:
        return job
    if job.status == "queued":
        return _telling(job, f"it cannot begin: {_worker(who, still)}")
    words = _worker(who, still) if path.name == WORKER else _training(who, still)
    return _telling(replace(job, status=STALLED), words)


def look_twice(identity: str) -> None:
    """Force the next check of this job to be exact."""
    with suppress(UnknownJob):
        locks.look_twice(_files(queue.get(identity)))


def _files(job: Job) -> list[Path]:
    """Lock files of a job: its computations' and the worker's."""
    if not job.live:
        return []
    found = list[Path]()
    with suppress(StorageFailed):  # of a damaged row
        found += [lock_of(key) for key in job.keys if job.status != "queued"]
    return [*found, runs_dir() / WORKER]


def _training(who: Holder, still: float) -> str:
    return (
        f"{who.in_words()}, which trains, has stood still for {still:.0f} s; {GOES_ON} (kill -CONT), "
        "or stop this job and take it up again: what was trained is kept"
    )


def _worker(who: Holder, still: float) -> str:
    return (
        f"the worker, {who.in_words()}, has stood still for {still:.0f} s; {GOES_ON}: whoever runs this "
        "server can continue it (kill -CONT) or end it (kill -KILL), and another one begins"
    )


def _telling(job: Job, words: str) -> Job:
    return replace(job, message="; ".join(filter(None, [words, job.message])))
