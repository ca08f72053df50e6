"""Whose turn it is: a running job makes room at its next checkpoint for a queued one that comes first."""

import math
import threading
import time
from collections.abc import Callable, Sequence

from ldp_core.cost.seconds import Rates
from ldp_core.runs import kinds, queue
from ldp_core.runs.machine.calibration import rates
from ldp_core.runs.process.child import Watched
from ldp_core.runs.queue.job import ASIDE, Job
from ldp_core.runs.record.time_left import how_far

SLICE_SECONDS = 5.0
"""Time in a slot after which a job makes room for anybody else's."""
LEAST_SECONDS = 2.0
"""Time in a slot that a job has which was put aside before: ten times what it costs to take it up."""
SOON_SECONDS = 0.5
"""Remaining time of a job that makes no room any more."""
LOOK_SECONDS = 0.2
"""Interval between two looks at who waits."""
MOST = 1024
_planned: dict[tuple[str, Rates], float | None] = {}
"""Estimated seconds by job id and machine speed, which never change."""
_one = threading.Lock()
_looked = -math.inf
"""Time of the latest look."""


def make_room(watched: Sequence[Watched], ready: Callable[[Job], bool]) -> None:
    """Ask one of the running jobs to make room, if a queued one that is `ready` to begin should come first:
    one that has never begun, or is shorter than what is left of the other, or another person's once the
    other has had its time.
    """
    global _looked
    now = time.monotonic()
    if any(one.makes_room for one in watched) or now - _looked < LOOK_SECONDS:
        return
    _looked = now
    order = queue.in_turn(left=left)
    first = next(filter(ready, order), None)
    if first is None:
        return
    under_way = {job.owner for job in (*order, *(one.job for one in watched)) if job.started is not None}
    urgent = queue.is_new(first, under_way) or queue.starves(first, time.time())
    for one in sorted(watched, key=lambda one: -left(one.job)):
        had, rest = now - one.began, left(one.job)
        if rest < SOON_SECONDS or (one.job.message == ASIDE and had < LEAST_SECONDS):
            continue
        another = first.owner is None or first.owner != one.job.owner
        if urgent or left(first) < rest or (another and had >= SLICE_SECONDS):
            one.make_room()
            return


def left(job: Job) -> float:
    """Estimated seconds that are left of a job; infinite if unknown."""
    at = how_far(job)
    if job.status == "running" and at and at.left is not None:
        return at.left
    known = rates()
    seconds = planned(job, known) if known else None
    if seconds is None:
        return math.inf
    done = at.step.share if at and not at.step.doing else 0.0
    return seconds * (1 - done)


def planned(job: Job, known: Rates, until: float = math.inf) -> float | None:
    """Estimated seconds of a whole job at this speed; None if it cannot be read, or is not estimated yet and
    the time `until` has passed.
    """
    key = job.id, known
    with _one:
        if key not in _planned and time.monotonic() < until:
            found = kinds.estimate(job)
            _planned[key] = found.seconds(known) if found else None
            while len(_planned) > MOST:
                del _planned[next(iter(_planned))]
        return _planned.get(key)
