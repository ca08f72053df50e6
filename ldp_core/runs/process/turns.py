"""Whose turn it is: a running job makes room at its next checkpoint for a queued one that comes first."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from ldp_core.cost.seconds import Rates
from ldp_core.runs import kinds, queue
from ldp_core.runs.machine.calibration import rates
from ldp_core.runs.process.child import Watched
from ldp_core.runs.queue.job import ASIDE, Job
from ldp_core.runs.record.time_left import how_far

SLICE_SECONDS, SLICE = 5.0, 9.0
"""Work after which a job makes room for anybody else's: seconds, or so many times what it cost to begin."""
LEAST_SECONDS, LEAST = 2.0, 2.0
"""The same for one that has never begun or is shorter, of a job that was put aside before, or has less than
a slice left: a training itself makes room for first curves.
"""
SOON_SECONDS = 0.5
"""Remaining time of a job that makes no room any more."""
LOOK_SECONDS = 0.2
"""Interval between two looks at who waits."""
MOST = 1024
_planned: dict[tuple[str, Rates], float | None] = {}
"""Estimated seconds by job id and machine speed, which never change."""
_looked = -math.inf
"""Time of the latest look."""


def make_room(watched: Sequence[Watched], ready: Callable[[Job], bool]) -> None:
    """Ask a running job to make room if a queued one that is `ready` to begin would be claimed in its place:
    at once if that has never begun or is shorter, else when the running one has had its time.
    """
    global _looked
    now = time.monotonic()
    if any(one.makes_room for one in watched) or now - _looked < LOOK_SECONDS:
        return
    _looked = now
    for one in sorted(watched, key=lambda one: -left(one.job)):
        job, rest = one.job, left(one.job)
        if not one.has_worked(now) or rest < SOON_SECONDS:
            continue
        order = queue.in_turn(replace(job, status="queued", message=ASIDE), left)
        first = next((other for other in order if other.id == job.id or ready(other)), job)
        if first.id == job.id:
            continue
        began = one.working - one.began
        if (first.started is None and first.owner != job.owner) or left(first) < rest:
            soon = job.message == ASIDE or rest < SLICE_SECONDS
            due = max(LEAST_SECONDS, LEAST * began) if soon else 0.0
        else:
            due = max(SLICE_SECONDS, SLICE * began)
        if now - one.working >= due:
            one.make_room()
            return


def left(job: Job) -> float:
    """Estimated seconds that are left of a job, by one rule while it runs and while it waits; infinite if
    unknown.
    """
    known = rates()
    seconds = planned(job, known) if known else None
    if seconds is None:
        return math.inf
    at = how_far(job)
    return seconds * (1 - at.step.share) if at and not at.step.doing else seconds


def planned(job: Job, known: Rates) -> float | None:
    """Estimated seconds of a whole job at this speed; None if it cannot be read."""
    key = job.id, known
    if key not in _planned:
        found = kinds.estimate(job)
        _planned[key] = found.seconds(known) if found else None
        while len(_planned) > MOST:
            del _planned[next(iter(_planned))]
    return _planned[key]
