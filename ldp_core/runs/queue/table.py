"""The queue's database: one row a job, brought up to this version's schema, and what reads it.

What came after the second version has tables of its own: a worker of that version, which may still be at work
beside this program, reads `jobs` whole and would stumble over a column that it does not know.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple
from pathlib import Path
from typing import Any

from ldp_core.errors import StorageFailed, UnknownJob
from ldp_core.runs.queue.job import REMOVED, Job, waiting_for
from ldp_core.runs.queue.states import Status
from ldp_core.runs.storage.database import reading, writing
from ldp_core.runs.storage.holding import Holder
from ldp_core.runs.storage.paths import runs_dir

SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    place INTEGER PRIMARY KEY AUTOINCREMENT,  -- order of arrival
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    draft TEXT,                               -- the draft it was launched from, if any
    request TEXT NOT NULL,                    -- what to run, as JSON
    status TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    created REAL NOT NULL,                    -- seconds since 1970, as all times here
    started REAL,
    ended REAL,
    owner_pid INTEGER,                        -- the process that watches over the job
    owner_since REAL,                         -- its start time: a pid alone may be used again
    pid INTEGER,                              -- the process that trains
    owner TEXT                                -- who launched it: a digest of a browser's token
);
CREATE TABLE IF NOT EXISTS waits (
    id TEXT PRIMARY KEY,
    waits_for TEXT NOT NULL                   -- while it is queued: the job that trains the same runs
);
CREATE TABLE IF NOT EXISTS removed (
    id TEXT PRIMARY KEY,
    removed REAL NOT NULL                     -- when its record was removed to make room
);
CREATE TABLE IF NOT EXISTS spaces (
    id TEXT PRIMARY KEY,
    pid_of_owner INTEGER NOT NULL,            -- what stands in owner_pid and owner_since, if this is of today
    since REAL NOT NULL,
    space TEXT NOT NULL,                      -- where those numbers mean something: a boot and a namespace
    host TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS requests (
    id TEXT PRIMARY KEY,
    request TEXT NOT NULL                     -- the whole of one that is long (`long_requests`)
);
CREATE TABLE IF NOT EXISTS addresses (
    id TEXT PRIMARY KEY,
    address TEXT NOT NULL                     -- from where it was launched: a digest
);
CREATE TABLE IF NOT EXISTS aside (
    id TEXT PRIMARY KEY,
    away TEXT NOT NULL,                       -- the name of its record's folder meanwhile
    at REAL NOT NULL,                         -- when it was deleted
    told TEXT NOT NULL,                       -- what a list tells of it, as JSON
    rows TEXT NOT NULL                        -- by table, its row there, as JSON: megabytes of a long request
);
CREATE INDEX IF NOT EXISTS by_status ON jobs (status, place);
CREATE INDEX IF NOT EXISTS by_draft ON jobs (draft, place);
PRAGMA user_version = 7;
"""
UPGRADES: tuple[tuple[str, ...], ...] = (
    ("ALTER TABLE jobs ADD COLUMN owner TEXT",),
    (
        "CREATE TABLE IF NOT EXISTS waits (id TEXT PRIMARY KEY, waits_for TEXT NOT NULL)",
        "CREATE TABLE IF NOT EXISTS removed (id TEXT PRIMARY KEY, removed REAL NOT NULL)",
        # until then both facts stood in the message, in these words
        "INSERT OR IGNORE INTO waits SELECT id, substr(message, 17, 12) FROM jobs WHERE status = 'queued' "
        "AND message LIKE 'waiting for job ____________, which trains the same runs'",
        "UPDATE jobs SET message = '' WHERE id IN (SELECT id FROM waits)",
        "INSERT OR IGNORE INTO removed SELECT id, coalesce(ended, created) FROM jobs "
        "WHERE status NOT IN ('queued', 'running', 'cancelling') "
        "AND message LIKE '%its record was removed to make room'",
        "UPDATE jobs SET message = replace(replace(message, '; its record was removed to make room', ''), "
        "'its record was removed to make room', '') WHERE id IN (SELECT id FROM removed)",
    ),
    (
        "CREATE TABLE IF NOT EXISTS spaces (id TEXT PRIMARY KEY, pid_of_owner INTEGER NOT NULL, "
        "since REAL NOT NULL, space TEXT NOT NULL, host TEXT NOT NULL)",
    ),
    ("CREATE TABLE IF NOT EXISTS requests (id TEXT PRIMARY KEY, request TEXT NOT NULL)",),
    ("CREATE TABLE IF NOT EXISTS addresses (id TEXT PRIMARY KEY, address TEXT NOT NULL)",),
    (
        "CREATE TABLE IF NOT EXISTS aside (id TEXT PRIMARY KEY, away TEXT NOT NULL, at REAL NOT NULL, "
        "told TEXT NOT NULL, rows TEXT NOT NULL)",
    ),
)
"""What leads from version 1 to 2, and so on."""
LATEST = len(UPGRADES) + 1
OF_A_JOB = ("jobs", "waits", "removed", "spaces", "requests", "addresses")
"""The tables that have a row for it."""
KEPT_BACK = ("request", "owner_pid", "owner_since", "space", "host")
"""Columns that a job has under another name."""
ID = re.compile(r"[0-9a-f]{12}")


def queue_path() -> Path:
    """The queue's database."""
    return runs_dir() / "queue.sqlite"


@contextmanager
def changing() -> Iterator[sqlite3.Connection]:
    """A transaction on the queue, brought up to this version's schema."""
    with writing(queue_path(), SCHEMA) as db:
        version = _version(db)
        for statements in UPGRADES[max(0, version - 1) :]:
            for statement in statements:
                db.execute(statement)
        if version < LATEST:
            db.execute(f"PRAGMA user_version = {LATEST}")
        yield db


@contextmanager
def looking() -> Iterator[sqlite3.Connection | None]:
    """A read-only connection, or None before the first job; an old queue is brought up to date first, if it
    can be written to.
    """
    with reading(queue_path()) as db:
        old = db is not None and _version(db) < LATEST
        if not old:
            yield db
    if old:
        with suppress(StorageFailed), changing():
            pass
        with reading(queue_path()) as db:
            yield db


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def of_this_version(db: sqlite3.Connection) -> bool:
    """False for a queue of an earlier version that nobody could write to."""
    return _version(db) >= LATEST


def selected(db: sqlite3.Connection, where: str = "1", values: tuple[Any, ...] = ()) -> Iterator[Job]:
    """The jobs that fulfil a condition of this package (never of a user)."""
    if not of_this_version(db):
        query = f"SELECT * FROM jobs WHERE {where}"  # noqa: S608
    else:
        query = (
            "SELECT * FROM (SELECT jobs.*, waits_for, removed, space, host, address, "  # noqa: S608
            "jobs.id IN (SELECT id FROM requests) AS long FROM jobs "
            "LEFT JOIN waits ON waits.id = jobs.id AND jobs.status = 'queued' "
            "LEFT JOIN spaces ON spaces.id = jobs.id AND pid_of_owner = owner_pid AND since = owner_since "
            "LEFT JOIN addresses ON addresses.id = jobs.id "
            f"LEFT JOIN removed ON removed.id = jobs.id) AS jobs WHERE {where}"
        )
    return map(job_of, db.execute(query, values))


def get(identity: str) -> Job:
    """The job with this id.

    Raises:
        UnknownJob: there is none.
    """
    if ID.fullmatch(identity):
        with looking() as db:
            found = next(selected(db, "jobs.id = ?", (identity,)), None) if db else None
        if found:
            return found
    raise UnknownJob(identity)


def status(identity: str) -> Status | None:
    """A job's state, and no more; None if there is no such job."""
    with looking() as db:
        row = db and db.execute("SELECT status FROM jobs WHERE id = ?", (identity,)).fetchone()
    return row["status"] if row else None


def find(where: str = "1", values: tuple[Any, ...] = (), most: int = 100) -> list[Job]:
    """Jobs that fulfil a condition of this package (never of a user), newest first."""
    with looking() as db:
        if db is None:
            return []
        return list(selected(db, f"{where} ORDER BY place DESC LIMIT ?", (*values, most)))


def job_of(row: sqlite3.Row | dict[str, Any]) -> Job:
    """A job from its row."""
    known = row.keys()
    fields = {name: row[name] for name in known if name not in KEPT_BACK}
    for name in ("started", "ended", "pid"):  # of a damaged row: no times rather than no queue
        fields[name] = fields[name] if isinstance(fields[name], int | float) else None
    fields["long"] = bool(fields.get("long"))
    fields["created"] = fields["created"] if isinstance(fields["created"], int | float) else 0.0
    waits_for, gone = fields.get("waits_for"), fields.pop("removed", None) is not None
    said = fields["message"] if isinstance(fields["message"], str) else ""
    told = [said, waiting_for(waits_for) if waits_for else "", REMOVED if gone else ""]
    fields["message"] = "; ".join(part for part in told if part)
    return Job(text=row["request"], removed=gone, at=_at(row) if "space" in known else None, **fields)


def _at(row: sqlite3.Row | dict[str, Any]) -> Holder | None:
    """Who watches over a job, as whoever took it has said; None where nobody has."""
    if row["space"] is None:  # of an earlier version, or damaged
        return None
    return Holder(int(row["owner_pid"]), float(row["owner_since"]), str(row["space"]), str(row["host"]))


def note_owner(db: sqlite3.Connection, identity: str, who: Holder) -> None:
    """Write down whose job it is now, beside the columns that an earlier version knows."""
    db.execute("INSERT OR REPLACE INTO spaces VALUES (?, ?, ?, ?, ?)", (identity, *astuple(who)))
