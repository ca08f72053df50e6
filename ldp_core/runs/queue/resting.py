"""What is done to a job that rests, while nobody takes it up: its record is kept, removed, or forgotten."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ldp_core.errors import UnknownJob
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.states import LIVE
from ldp_core.runs.queue.table import OF_A_JOB, changing, selected


@contextmanager
def held(identity: str) -> Iterator[Job]:
    """A job that nobody takes up, removes or changes in any way meanwhile.

    Raises:
        UnknownJob: there is no such job.
    """
    with changing() as db:
        found = next(selected(db, "jobs.id = ?", (identity,)), None)
        if found is None:
            raise UnknownJob(identity)
        yield found


def drop(identity: str, first: Callable[[], bool]) -> bool:
    """Do `first`, and forget a job that neither waits nor runs; False, and nothing is done, if it does, or
    if `first` says that it has done nothing.
    """
    with changing() as db:
        if not rests(db, identity) or not first():
            return False
        forget(db, identity)
        return True


def forget(db: sqlite3.Connection, identity: str) -> None:
    """Take a job out of every table."""
    for rows in OF_A_JOB:
        db.execute(f"DELETE FROM {rows} WHERE id = ?", (identity,))  # noqa: S608


def strip(identity: str, first: Callable[[], bool]) -> bool:
    """Do `first`, which removes a record, and note that it is gone, of a job that neither waits nor runs.

    Nobody can take it up meanwhile. False, and nothing is done, if it waits or runs, or if `first` says that
    it has done nothing.
    """
    with changing() as db:
        if not rests(db, identity) or not first():
            return False
        db.execute("INSERT OR IGNORE INTO removed VALUES (?, ?)", (identity, time.time()))
        return True


def rests(db: sqlite3.Connection, identity: str) -> bool:
    """True for a job that neither waits nor runs."""
    row = db.execute("SELECT status FROM jobs WHERE id = ?", (identity,)).fetchone()
    return row is not None and row["status"] not in LIVE
