"""A training to be exported: its job, its title, and its runs by variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ldp_core.errors import InvalidInput
from ldp_core.runs.jobs.listing import describe
from ldp_core.runs.jobs.lookup import look
from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.run_progress import RunProgress, by_variant, progress_of

Variants = Mapping[int, Sequence[RunProgress]]


def training(identity: str, what: str) -> Job:
    """The job; raises InvalidInput for one of another kind: `what` is what only trainings can."""
    job = look(identity)
    if job.kind != "run":
        raise InvalidInput(f"job {job.id} is no training: only those {what}")
    return job


def title(job: Job) -> str:
    return job.name or describe(job).name or "Untitled"


def variants(job: Job) -> Variants:
    """Runs by variant number; the run without noise has a number below 0."""
    return by_variant(progress_of(job).update().runs)
