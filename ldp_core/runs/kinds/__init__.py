"""The kinds of job, one file each, found by discovery; the queue, the worker and the command line know none
by name. `tests/runs/kinds/test_contract.py` tests all of them.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ldp_core.component import Registry
from ldp_core.cost.estimate import Cost
from ldp_core.errors import DiskFull, KeptLocked, ReadOnly, StorageFailed
from ldp_core.runs import queue
from ldp_core.runs.kinds.base import UNREADABLE, JobEnd, Kind, Words, note_figures
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import computations
from ldp_core.runs.record.checkpoints import move_aside
from ldp_core.runs.record.events import is_whole, refuse_damaged

registry: Registry[Kind] = Registry("ldp_core.runs.kinds", Kind, "kind of job")
names, get = registry.names, registry.get


def keys_of(kind: str, asked: Any) -> list[str]:
    """Keys of a request's computations in this version."""
    return [one.key for one in get(kind).computations(asked, "")]


def is_known(kind: str, asked: Any) -> bool:
    """Whether the results of a request are all stored here already."""
    return are_known(keys_of(kind, asked))


def are_known(keys: Sequence[str]) -> bool:
    try:
        return not computations.left(keys)
    except StorageFailed:
        return False


def settle(job: Job) -> bool:
    """Complete a queued job whose computations have all ended; False if some are left or unreadable."""
    known = computations.ended(job.keys)
    broken = [key for key in known if _gives_up(key, is_whole)]
    if broken:
        computations.forget(broken)
    if broken or not job.keys or len(known) < len(set(job.keys)):
        return False
    made = get(job.kind)
    outcome = made.outcome([known[key] for key in job.keys])
    if done := queue.move(job.id, outcome.status, outcome.message):
        note_figures(made, job)
    return done


def give_up_what_is_damaged(keys: Iterable[str]) -> None:
    """Move unfinished records aside that cannot be resumed, so that they are computed anew."""
    for key in computations.left([*keys]):
        _gives_up(key, refuse_damaged)


def _gives_up(key: str, look: Callable[[str], bool | None]) -> bool:
    """Move a record aside if `look` finds that it cannot be read; returns whether it was moved."""
    try:
        if look(key) is not False:
            return False
    except (DiskFull, KeptLocked, ReadOnly):  # which do not mean that it is damaged
        return False
    except StorageFailed as error:
        logging.warning("it is computed anew: %s", error)
    if (held := computations.hold(key)) is not None:
        with held:
            move_aside(key)
    return True


def estimate(job: Job) -> Cost | None:
    """Estimated cost of a job; None if its request cannot be read."""
    try:
        made = get(job.kind)
        return made.cost(made.parse(job.request))
    except UNREADABLE:
        return None


def storage_of(job: Job) -> int:
    """Estimated bytes of a job's complete record; 0 if unknown."""
    return found.storage if (found := estimate(job)) else 0
