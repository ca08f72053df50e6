"""The kinds of job, one file each, found by discovery: what a job may ask for, and what is done for it.

A kind reads its request, estimates it, does it in a process of its own and tells how far it is; the queue,
the worker, the pages and the command line know none of them by name. It is a file here with a class that
has a `label`; `tests/runs/kinds/test_contract.py` runs over whatever is there.
"""

from __future__ import annotations

from ldp_core.component import Registry
from ldp_core.errors import UnknownName
from ldp_core.runs.kinds.base import UNREADABLE, Kind, Outcome, Reached, Words
from ldp_core.runs.queue.job import Job

registry: Registry[Kind] = Registry("ldp_core.runs.kinds", Kind, "kind of job")


def names() -> list[str]:
    """Every kind, in alphabetical order."""
    return registry.names()


def get(name: str) -> Kind:
    """The kind called so.

    Raises:
        UnknownName: there is none.
    """
    return registry.get(name)


def shared() -> list[str]:
    """The kinds whose results are anybody's who asks for the same."""
    return [name for name in names() if get(name).shared]


def storage_of(job: Job) -> int:
    """Bytes that a job's record takes in the end; 0 if that cannot be told."""
    try:
        estimate = get(job.kind).estimate(job.request)
    except UnknownName:  # of a version that knew other kinds
        return 0
    return estimate.storage if estimate else 0


__all__ = [
    "UNREADABLE",
    "Kind",
    "Outcome",
    "Reached",
    "Words",
    "get",
    "names",
    "registry",
    "shared",
    "storage_of",
]
