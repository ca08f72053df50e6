"""Jobs that were deleted and may come back: in no list, and whole in a table of their own."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass

from ldp_core.errors import NotNow, UnknownJob
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.resting import forget, rests
from ldp_core.runs.queue.table import OF_A_JOB, changing, job_of, looking, of_this_version


@dataclass(frozen=True)
class Aside:
    """One of them."""

    job: Job
    """As it was."""
    away: str
    """What the folder of its record is called meanwhile."""
    at: float
    """When it was deleted (seconds since 1970)."""


def put_aside(identity: str, away: str, first: Callable[[], bool]) -> bool:
    """Do `first`, and lay a job aside that neither waits nor runs; False, and nothing is done, if it does,
    or if `first` says that it has done nothing.
    """
    with changing() as db:
        if not rests(db, identity) or not first():
            return False
        found = {
            table: db.execute(f"SELECT * FROM {table} WHERE id = ?", (identity,)).fetchone()  # noqa: S608
            for table in OF_A_JOB
        }
        rows = {table: dict(row) for table, row in found.items() if row}
        told = {**rows["jobs"], **rows.get("removed", {}), "long": "requests" in rows}
        values = (identity, away, time.time(), json.dumps(told), json.dumps(rows))
        db.execute("INSERT OR REPLACE INTO aside VALUES (?, ?, ?, ?, ?)", values)
        forget(db, identity)
        return True


def bring_back(identity: str, first: Callable[[str], None]) -> None:
    """Do `first`, which is given the name of the record's folder, and have a job back as it was.

    Raises:
        UnknownJob: it does not lie aside, or not any more.
        NotNow: another job has its id now.
    """
    with changing() as db:
        row = db.execute("SELECT away, rows FROM aside WHERE id = ?", (identity,)).fetchone()
        if row is None:
            raise UnknownJob(identity)
        if db.execute("SELECT 1 FROM jobs WHERE id = ?", (identity,)).fetchone():
            raise NotNow(f"job {identity} is here again already; delete that one before this is brought back")
        tables = json.loads(row["rows"])
        if db.execute("SELECT 1 FROM jobs WHERE place = ?", (tables["jobs"]["place"],)).fetchone():
            tables["jobs"]["place"] = None  # somebody was put at the end since: it goes behind them
        for table, values in tables.items():
            names, marks = ", ".join(values), ", ".join("?" * len(values))
            db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", (*values.values(),))  # noqa: S608
        db.execute("DELETE FROM aside WHERE id = ?", (identity,))
        first(row["away"])


def forget_aside(identity: str) -> bool:
    """A job comes back no more; False if it did not lie aside."""
    with changing() as db:
        return db.execute("DELETE FROM aside WHERE id = ?", (identity,)).rowcount == 1


def aside() -> list[Aside]:
    """All that may come back, what was deleted first at the beginning."""
    with looking() as db:
        if db is None or not of_this_version(db):
            return []
        rows = db.execute("SELECT away, at, told FROM aside ORDER BY at").fetchall()
    return [Aside(job_of(json.loads(row["told"])), row["away"], row["at"]) for row in rows]
