"""Records, the databases of computations: their events, and whether the files are damaged."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from math import inf
from typing import Any, NamedTuple

from ldp_core.errors import StorageFailed, StudioError
from ldp_core.experiment import parse_draft
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.computations import database
from ldp_core.runs.storage.database import Database

SCHEMA = """
CREATE TABLE IF NOT EXISTS about (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    kind TEXT NOT NULL,
    what TEXT NOT NULL,        -- as JSON: the experiment, or the request
    began REAL NOT NULL,       -- seconds since 1970
    status TEXT,               -- NULL until it has ended
    figures TEXT,              -- as JSON
    events INTEGER             -- how many there are then
);
CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    body TEXT NOT NULL         -- as JSON
);
CREATE TABLE IF NOT EXISTS checkpoint (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    round INTEGER NOT NULL,
    weights BLOB NOT NULL,     -- float32, little-endian
    uploads BLOB NOT NULL,     -- int64, little-endian: of each client
    seconds REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS kept (
    name TEXT PRIMARY KEY,
    array BLOB NOT NULL        -- of the checkpoint: what a system's clients keep, in numpy's format
);
"""


def record(key: str) -> Database:
    return Database(str(database(key)), SCHEMA, format=1, advice="train it again")


class StoredEvent(NamedTuple):
    seq: int
    """Number of the event within its computation, from 1."""
    run: int
    """Index of the computation among the job's."""
    at: float
    body: dict[str, Any]


class News(NamedTuple):
    began: float | None
    """Start of the computation, which distinguishes its record from an earlier one; None without a record."""
    events: list[StoredEvent]


def news(key: str, seq: int = 0, run: int = 0, most: int = -1) -> News:
    """At most `most` events of a computation after number `seq`, in order; none before it has begun."""
    with record(key).reading() as db:
        about = db.execute("SELECT began FROM about").fetchone() if db else None
        if db is None or about is None:
            return News(None, [])
        query = "SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?"
        rows = db.execute(query, (seq, most)).fetchall()
    with sound(key):
        events = [StoredEvent(row["seq"], run, row["at"], _body(row["body"])) for row in rows]
        return News(float(about["began"]), events)


def events_of(job: Job) -> list[StoredEvent]:
    """All events in their order, each run's as its simulation yields them."""
    every = list[tuple[float, StoredEvent]]()
    for run, key in enumerate(job.keys):
        events, at = news(key, run=run).events, 0.0
        with sound(key):
            if job.kind == "run" and not _waits(events):
                events.sort(key=_in_stream)
        for one in events:
            at = max(at, one.at)
            every.append((at, one))
    return [one for _, one in sorted(every, key=lambda one: one[0])]


def _in_stream(one: StoredEvent) -> tuple[float, bool]:
    """Sort key: attacks, which may be stored later, stand before their round."""
    kind = one.body["event"]
    return inf if kind == "end" else one.body.get("round", 0), kind == "round"


def _waits(events: Sequence[StoredEvent]) -> bool:
    """Whether the run's attacks stand after all rounds."""
    attack = events[0].body.get("experiment", {}).get("attack") if events else None
    return isinstance(attack, Mapping) and bool(attack.get("after"))


Row = tuple[int, str, int, str]
"""Variant, label and seed of a run, and its experiment as JSON text."""


@lru_cache(maxsize=256)
def runs_of(job: Job) -> tuple[Row, ...]:
    """Runs of a training job, in its order; empty for other kinds of job."""
    if job.kind != "run":
        return ()
    try:
        runs = parse_draft(job.request["draft"]).runs(bool(job.request.get("reference")))
    except (StudioError, LookupError, TypeError, AttributeError) as error:
        raise StorageFailed("what it was asked to do cannot be read any more; launch it again") from error
    each = ((one, one.experiment) for one in runs)
    return tuple((one.variant, one.label, made.seed, json.dumps(made.as_json())) for one, made in each)


def bodies(db: sqlite3.Connection) -> list[dict[str, Any]]:
    return [_body(row["body"]) for row in db.execute("SELECT body FROM events ORDER BY seq")]


def _body(text: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(text)
    body["event"]  # none is without
    return body


@contextmanager
def sound(key: str) -> Iterator[None]:
    """Context in which an error while interpreting a record is a StorageFailed: the record is damaged."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, FileNotFoundError) as error:
        raise StorageFailed(f"{key} is damaged: its record cannot be read; train it again") from error


def is_whole(key: str) -> bool:
    """True for the record of an ended computation with all its events."""
    query = "SELECT status, events = (SELECT count(*) FROM events) AS whole FROM about"
    with record(key).reading() as db:
        row = db.execute(query).fetchone() if db else None
    return row is not None and row["status"] is not None and bool(row["whole"])


NO_JSON = """
SELECT 1 FROM (
    SELECT what AS text FROM about
    UNION ALL SELECT body FROM events WHERE seq = (SELECT max(seq) FROM events)
) WHERE length(text) < 1000000 AND NOT json_valid(text)
"""
"""Whether the short texts of a record are JSON, by SQLite itself: none is read for that."""


def is_damaged(job: Job) -> bool:
    """True if a record of the job is unreadable, by a check of its first and last event."""
    try:
        for key in job.keys:
            with record(key).reading() as db:
                if db.execute(NO_JSON).fetchone() if db else database(key).exists():
                    return True
    except StorageFailed:
        return True
    return False


def refuse_damaged(key: str) -> None:
    """Check a computation's whole file, if any; StorageFailed if it is corrupt or has another format."""
    with record(key).reading() as db:
        if db and db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise StorageFailed(f"{key} is damaged: its record cannot be taken up; train it again")
