"""Estimated wait of a queued job: a simulation of the slots, filled in the queue's order, in which each job
makes room after `turns.SLICE_SECONDS`.
"""

import heapq
import sys
import time
from dataclasses import replace
from typing import NamedTuple

from ldp_core.runs import queue
from ldp_core.runs.machine import slots
from ldp_core.runs.machine.calibration import rates
from ldp_core.runs.process.turns import SLICE_SECONDS, planned
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.time_left import how_far

READING_SECONDS = 0.2
"""Time for estimating jobs that have no estimate yet; one of 60 000 clients takes as long."""
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
    return waits(replace(NEW, owner=owner, address=address)).get(NEW.id, Wait(0, 0.0, True))


def waits(newcomer: Job | None = None) -> dict[str, Wait]:
    """Expected wait of each queued job, or of a newcomer and those before it, by id."""
    running, order = queue.find(queue.AT_WORK, most=1000), queue.in_turn(newcomer)
    known, now = rates(), time.time()
    until = time.monotonic() + READING_SECONDS
    sure, free = True, [0.0] * max(0, slots.at_work() - len(running))
    for one in running:
        seconds = at.left if (at := how_far(one)) else None
        if seconds is None and known and (whole := planned(one, known, until)) is not None:
            seconds = max(0.0, whole - (now - (one.started or now)))
            sure &= seconds > 0  # or it takes longer than was planned, by an unknown amount
        sure &= seconds is not None
        free.append(max(0.0, min(seconds or 0.0, SLICE_SECONDS)))
    heapq.heapify(free)
    found = dict[str, Wait]()
    for ahead, one in enumerate(order, len(running)):
        found[one.id] = Wait(ahead, free[0], sure)
        if newcomer and one.id == newcomer.id:
            break
        seconds = planned(one, known, until) if known else None
        sure &= seconds is not None
        heapq.heapreplace(free, free[0] + min(seconds or 0.0, SLICE_SECONDS))
    return found
