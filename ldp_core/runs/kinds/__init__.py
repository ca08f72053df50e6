"""The kinds of job, one file each, found by discovery: what a job may ask for, and what is done for it.

A kind reads its request, estimates it, does it in a process of its own and tells how far it is; the queue,
the worker, the pages and the command line know none of them by name. It is a file here with a class that
has a `label`; `tests/runs/kinds/test_contract.py` runs over whatever is there.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from ldp_core.component import Registry
from ldp_core.errors import DiskFull, KeptLocked, ReadOnly, StorageFailed, UnknownName
from ldp_core.runs import queue
from ldp_core.runs.kinds.base import UNREADABLE, Kind, Outcome, Words, Work, note_figures
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import computations
from ldp_core.runs.record.events import is_whole, refuse_damaged
from ldp_core.runs.record.recorder import move_aside

SAYS_NOTHING = (DiskFull, KeptLocked, ReadOnly)
"""What a record raises that may be sound."""
registry: Registry[Kind] = Registry("ldp_core.runs.kinds", Kind, "kind of job")


def names() -> list[str]:
    return registry.names()


def get(name: str) -> Kind:
    """The kind called so."""
    return registry.get(name)


def is_known(kind: str, asked: Any) -> bool:
    """True if all that is asked of this kind of job has been computed here before."""
    try:
        return not computations.left([one.key for one in get(kind).computations(asked, "")])
    except StorageFailed:
        return False


def settle(job: Job) -> bool:
    """Complete a queued job of which everything is known: it needs no process. What cannot be read is
    forgotten, to be computed anew. False if something is left.

    Raises:
        StorageFailed: nothing can be noted, or the table of jobs cannot be read.
    """
    known = computations.ended(job.keys)
    broken = [key for key in known if _gives_up(key, is_whole)]
    if broken:
        computations.forget(broken)
    if broken or not job.keys or len(known) < len(set(job.keys)):
        return False
    made = get(job.kind)
    outcome = made.outcome([known[key] for key in job.keys])
    if not queue.move(job.id, outcome.status, outcome.message):
        return False
    note_figures(made, job)
    return True


def give_up_what_is_damaged(keys: Iterable[str]) -> None:
    """Have what was begun and cannot be taken up be computed anew: its file makes room.

    Raises:
        StorageFailed: the table of jobs cannot be read.
    """
    for key in computations.left([*keys]):
        _gives_up(key, refuse_damaged)


def _gives_up(key: str, look: Callable[[str], bool | None]) -> bool:
    """Whether a look finds that a record cannot be read; it is moved aside then, to be computed anew."""
    try:
        if look(key) is not False:
            return False
    except SAYS_NOTHING:
        return False
    except StorageFailed as error:
        logging.warning("it is computed anew: %s", error)
    if (held := computations.hold(key)) is not None:
        with held:
            move_aside(key)
    return True


def storage_of(job: Job) -> int:
    """Bytes that a job's record takes in the end; 0 if that is unknown."""
    try:
        estimate = get(job.kind).estimate(job.request)
    except UnknownName:  # of a version that knew other kinds
        return 0
    return estimate.storage if estimate else 0
