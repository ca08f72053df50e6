"""Estimated wait of a queued job: a simulation of the slots, filled in the queue's order."""

import heapq
import sys
import threading
import time
from dataclasses import replace
from typing import NamedTuple

from ldp_core.cost.seconds import Rates
from ldp_core.runs import kinds, queue
from ldp_core.runs.machine import slots
from ldp_core.runs.machine.calibration import rates
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.time_left import how_far

READING_SECONDS = 0.2
"""Time for estimating jobs that have no estimate yet; one of 60 000 clients takes as long."""
MOST = 1024
_kept: dict[tuple[str, Rates], float | None] = {}
"""Estimated seconds by job id and machine speed, which never change."""
_one = threading.Lock()
NEW = Job("", "run", None, "", "queued", "", 0.0, None, None, None, sys.maxsize)
"""Stand-in for a job that would be the last in the queue."""


class Wait(NamedTuple):
    ahead: int
    """Number of earlier jobs that have not ended."""
    seconds: float
    sure: bool
    """False if the duration of some job is unknown, so that the wait is a lower bound."""


def would_wait(owner: str | None, address: str | None = None) -> Wait:
    """Expected wait of a job launched now by this person from this address (`permissions.address`)."""
    return wait(replace(NEW, owner=owner, address=address))


def wait(job: Job) -> Wait:
    running, before = queue.before(job)
    known, now = rates(), time.time()
    until = time.monotonic() + READING_SECONDS
    sure, free = True, [0.0] * max(0, slots.at_work() - len(running))
    for one in running:
        seconds = at.left if (at := how_far(one)) else None
        if seconds is None and (planned := _planned(one, known, until)) is not None:
            seconds = max(0.0, planned - (now - (one.started or now)))
            sure &= seconds > 0  # or it takes longer than was planned, by an unknown amount
        sure &= seconds is not None
        free.append(max(0.0, seconds or 0.0))
    heapq.heapify(free)
    for one in before:
        seconds = _planned(one, known, until)
        sure &= seconds is not None
        heapq.heapreplace(free, free[0] + (seconds or 0.0))
    return Wait(len(running) + len(before), free[0], sure)


def _planned(job: Job, known: Rates | None, until: float) -> float | None:
    """Estimated seconds of a whole job at this speed; None if not estimated yet and `until` has passed."""
    if known is None:
        return None
    key = job.id, known
    with _one:
        if key not in _kept and time.monotonic() < until:
            found = kinds.estimate(job)
            _kept[key] = found.seconds(known) if found else None
            while len(_kept) > MOST:
                del _kept[next(iter(_kept))]
        return _kept.get(key)
