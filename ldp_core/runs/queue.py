"""The queue: one row a job, and the only transitions that a job may make."""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ldp_core.errors import QueueFull, UnknownJob
from ldp_core.runs import alive, slots
from ldp_core.runs.database import reading, writing
from ldp_core.runs.paths import runs_dir

Status = Literal[
    "queued",
    "running",
    "cancelling",
    "completed",
    "failed",
    "cancelled",
    "interrupted",
    "diverged",
]
MAY_BECOME: dict[str, tuple[Status, ...]] = {
    "queued": ("running", "cancelled"),
    "running": ("cancelling", "completed", "failed", "interrupted", "diverged", "queued"),
    "cancelling": ("cancelled", "completed", "failed", "interrupted", "diverged"),
    "completed": (),
    "failed": ("queued",),
    "cancelled": ("queued",),
    "interrupted": ("queued",),
    "diverged": (),
}
LIVE = ("queued", "running", "cancelling")
RESUMABLE = tuple(status for status, after in MAY_BECOME.items() if status not in LIVE and after)

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
CREATE INDEX IF NOT EXISTS by_status ON jobs (status, place);
CREATE INDEX IF NOT EXISTS by_draft ON jobs (draft, place);
PRAGMA user_version = 2;
"""
UPGRADES = ("ALTER TABLE jobs ADD COLUMN owner TEXT",)
"""What leads from version 1 to 2, and so on."""
WAITING_EACH = 5
"""Jobs that one person may have waiting."""
WAITING_ALL = 200
ID = re.compile(r"[0-9a-f]{12}")
WAITING = re.compile(r"waiting for job ([0-9a-f]{12}),")


@dataclass(frozen=True)
class Job:
    """One row of the queue."""

    id: str
    kind: str
    draft: str | None
    request: dict[str, Any]
    """Empty if it cannot be read any more."""
    status: Status
    message: str
    created: float
    started: float | None
    ended: float | None
    pid: int | None
    place: int
    owner: str | None = None

    @property
    def live(self) -> bool:
        """True until the job has reached a final state."""
        return self.status in LIVE

    @property
    def waits_for(self) -> str | None:
        """The job whose runs it waits for, if it does."""
        found = WAITING.match(self.message) if self.status == "queued" else None
        return found[1] if found else None

    @property
    def folder(self) -> Path:
        """Where its events and its log are."""
        return runs_dir() / "jobs" / self.id


def waiting_for(identity: str) -> str:
    """What a job says that is queued until another one has ended."""
    return f"waiting for job {identity}, which trains the same runs"


def queue_path() -> Path:
    """The queue's database."""
    return runs_dir() / "queue.sqlite"


@contextmanager
def _writing() -> Iterator[sqlite3.Connection]:
    """A transaction on the queue, brought up to this version's schema."""
    with writing(queue_path(), SCHEMA) as db:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        for statement in UPGRADES[max(0, version - 1) :]:
            db.execute(statement)
        if version <= len(UPGRADES):
            db.execute(f"PRAGMA user_version = {len(UPGRADES) + 1}")
        yield db


def add(kind: str, request: dict[str, Any], draft: str | None = None, owner: str | None = None) -> str:
    """Append a job; returns its id, twelve hex digits.

    While a job of the same draft and kind waits or runs there is no second one: its id is returned instead,
    so that a double click is one run.

    Raises:
        QueueFull: this person, or everybody together, has enough jobs waiting.
    """
    identity = secrets.token_hex(6)
    with _writing() as db:
        query = f"SELECT id FROM jobs WHERE draft = ? AND kind = ? AND status IN {LIVE}"  # noqa: S608
        if draft is not None and (live := db.execute(query, (draft, kind)).fetchone()):
            return str(live["id"])
        _refuse_crowds(db, owner)
        db.execute(
            "INSERT INTO jobs (id, kind, draft, request, status, created, owner) "
            "VALUES (?, ?, ?, ?, 'queued', ?, ?)",
            (identity, kind, draft, json.dumps(request), time.time(), owner),
        )
    return identity


def _refuse_crowds(db: sqlite3.Connection, owner: str | None) -> None:
    waiting = db.execute("SELECT owner FROM jobs WHERE status = 'queued'").fetchall()
    mine = sum(row["owner"] == owner for row in waiting) if owner else 0
    if mine >= WAITING_EACH:
        raise QueueFull(f"you have {mine} jobs waiting already, as many as one person may; stop one, or wait")
    if len(waiting) >= WAITING_ALL:
        raise QueueFull(f"{len(waiting)} jobs are waiting on this server already; try again later")


def get(identity: str) -> Job:
    """The job with this id.

    Raises:
        UnknownJob: there is none.
    """
    if ID.fullmatch(identity):
        with reading(queue_path()) as db:
            row = db and db.execute("SELECT * FROM jobs WHERE id = ?", (identity,)).fetchone()
        if row:
            return _job(row)
    raise UnknownJob(identity)


def find(where: str = "1", values: tuple[Any, ...] = (), most: int = 100) -> list[Job]:
    """Jobs that fulfil a condition of this package (never of a user), newest first."""
    with reading(queue_path()) as db:
        if db is None:
            return []
        query = f"SELECT * FROM jobs WHERE {where} ORDER BY place DESC LIMIT ?"  # noqa: S608
        return [_job(row) for row in db.execute(query, (*values, most))]


def ahead_of(job: Job) -> int:
    """How many jobs will run before a queued one, the running ones included."""
    running = find("status IN ('running', 'cancelling')", most=1000)
    order = [waiting.id for waiting in in_turn()]
    return len(running) + (order.index(job.id) if job.id in order else 0)


def in_turn() -> list[Job]:
    """The queued jobs in the order in which they will run, as if all took equally long.

    People take turns: whoever has the fewest running is next, so that nobody has two while somebody
    who waits has none; among those, whoever has waited longest since a job of theirs began; among one
    person's jobs the oldest. A job that waits for another one's runs has no turn before that has ended.
    """
    with reading(queue_path()) as db:
        if db is None:
            return []
        rows = db.execute("SELECT * FROM jobs WHERE status = 'queued' ORDER BY place")
        live = {row["id"] for row in db.execute(f"SELECT id FROM jobs WHERE status IN {LIVE}")}  # noqa: S608
        queued = [job for job in map(_job, rows) if job.waits_for not in live - {job.id}]
        latest = _last_turns(db)
        began = "SELECT * FROM jobs WHERE status IN ('running', 'cancelling') ORDER BY started"
        running = [_job(row).owner for row in db.execute(began)] if queued else []
    order: list[Job] = []
    turn, most = max(latest.values(), default=0.0), slots.count()
    while queued:
        if len(running) >= most:
            running.pop(0)
        job = min(queued, key=lambda job: (running.count(job.owner), latest.get(job.owner, 0.0), job.place))
        queued.remove(job)
        order.append(job)
        running.append(job.owner)
        turn += 1.0
        latest[job.owner] = turn
    return order


def _last_turns(db: sqlite3.Connection) -> dict[str | None, float]:
    """When a job of each person last began; what began in the future counts for nothing: a clock was set
    back."""
    if "owner" not in {row["name"] for row in db.execute("PRAGMA table_info(jobs)")}:
        return {}
    query = "SELECT owner, MAX(started) AS at FROM jobs WHERE started <= ? GROUP BY owner"
    return {row["owner"]: row["at"] for row in db.execute(query, (time.time(),))}


def move(identity: str, to: Status, message: str = "") -> bool:
    """Move a job to another state, if it may; False if it may not (any more)."""
    sources = [status for status, after in MAY_BECOME.items() if to in after]
    marks = ", ".join("?" * len(sources))
    final = to not in LIVE
    with _writing() as db:
        done = db.execute(
            f"UPDATE jobs SET status = ?, message = ?, ended = ? WHERE id = ? AND status IN ({marks})",  # noqa: S608
            (to, message, time.time() if final else None, identity, *sources),
        )
        return done.rowcount == 1


def cancel(identity: str) -> None:
    """Ask for a job to stop: one that waits has stopped, of one that runs its worker says when it has."""
    with _writing() as db:
        query = "UPDATE jobs SET status = 'cancelled', message = '', ended = ? WHERE id = ? AND status = ?"
        if not db.execute(query, (time.time(), identity, "queued")).rowcount:
            query = "UPDATE jobs SET status = 'cancelling', message = '' WHERE id = ? AND status = 'running'"
            db.execute(query, (identity,))


def requeue(identity: str) -> bool:
    """Put a job that has stopped at the end of the queue again; False if it may not go there.

    Raises:
        QueueFull: its owner, or everybody together, has enough jobs waiting.
    """
    marks = ", ".join("?" * len(RESUMABLE))
    with _writing() as db:
        query = f"SELECT owner FROM jobs WHERE id = ? AND status IN ({marks})"  # noqa: S608
        row = db.execute(query, (identity, *RESUMABLE)).fetchone()
        if row is None:
            return False
        _refuse_crowds(db, row["owner"])
        last = db.execute("SELECT MAX(place) AS place FROM jobs").fetchone()["place"] or 0
        sets = "status = 'queued', message = '', ended = NULL, owner_pid = NULL, pid = NULL, place = ?"
        query = f"UPDATE jobs SET {sets} WHERE id = ? AND status IN ({marks})"  # noqa: S608
        done = db.execute(query, (last + 1, identity, *RESUMABLE))
        return done.rowcount == 1


def drop(identity: str, first: Callable[[], None]) -> bool:
    """Do `first`, and forget a job that neither waits nor runs; False, and nothing is done, if it does."""
    with _writing() as db:
        if not _rests(db, identity):
            return False
        first()
        db.execute("DELETE FROM jobs WHERE id = ?", (identity,))
        return True


def strip(identity: str, message: str, first: Callable[[], bool]) -> bool:
    """Do `first`, and note that it did something, with a job that neither waits nor runs; False, and nothing
    is done, if it does. Nobody can take it up meanwhile.
    """
    with _writing() as db:
        if not _rests(db, identity) or not first():
            return False
        _annotate(db, identity, message)
        return True


def _rests(db: sqlite3.Connection, identity: str) -> bool:
    row = db.execute("SELECT status FROM jobs WHERE id = ?", (identity,)).fetchone()
    return row is not None and row["status"] not in LIVE


def claim(most: int | None = None) -> Job | None:
    """Take the job whose turn it is for this process; None if there is none, or if `most` run already."""
    pid, since = alive.identity()
    for job in in_turn():
        with _writing() as db:
            query = "SELECT COUNT(*) AS count FROM jobs WHERE status IN ('running', 'cancelling')"
            if most is not None and db.execute(query).fetchone()["count"] >= most:
                return None
            done = db.execute(
                "UPDATE jobs SET status = 'running', started = ?, owner_pid = ?, owner_since = ? "
                "WHERE id = ? AND status = 'queued'",
                (time.time(), pid, since, job.id),
            )
            if done.rowcount == 1:  # otherwise somebody else was quicker
                return _job(db.execute("SELECT * FROM jobs WHERE id = ?", (job.id,)).fetchone())
    return None


def _annotate(db: sqlite3.Connection, identity: str, message: str) -> None:
    row = db.execute("SELECT message FROM jobs WHERE id = ?", (identity,)).fetchone()
    if row and message not in row["message"]:
        whole = f"{row['message']}; {message}" if row["message"] else message
        db.execute("UPDATE jobs SET message = ? WHERE id = ?", (whole, identity))


def say(identity: str, message: str) -> None:
    """Tell what a running job is doing; "" for what one would expect."""
    with _writing() as db:
        query = "UPDATE jobs SET message = ? WHERE id = ? AND status = 'running' AND message != ?"
        db.execute(query, (message, identity, message))


def set_pid(identity: str, pid: int | None) -> None:
    """Note which process trains for a job."""
    with _writing() as db:
        db.execute("UPDATE jobs SET pid = ? WHERE id = ?", (pid, identity))


def reap() -> list[str]:
    """Mark jobs whose owner has died as interrupted; returns their ids."""
    with reading(queue_path()) as db:
        query = "SELECT id, owner_pid, owner_since FROM jobs WHERE status IN ('running', 'cancelling')"
        rows = db.execute(query).fetchall() if db else []
    dead = [row for row in rows if not alive.is_alive(row["owner_pid"], row["owner_since"])]
    return [row["id"] for row in dead if _interrupt(row)]


def _interrupt(row: sqlite3.Row) -> bool:
    """Mark a job of a dead owner so; False if somebody has taken it up meanwhile."""
    message = "the worker was stopped from outside; what it had trained until then is kept"
    with _writing() as db:
        query = (
            "UPDATE jobs SET status = 'interrupted', message = ?, ended = ? WHERE id = ? "
            "AND owner_pid IS ? AND owner_since IS ? AND status IN ('running', 'cancelling')"
        )
        whose = (row["id"], row["owner_pid"], row["owner_since"])
        return db.execute(query, (message, time.time(), *whose)).rowcount == 1


def _job(row: sqlite3.Row) -> Job:
    fields = {k: row[k] for k in row.keys() if k not in ("request", "owner_pid", "owner_since")}  # noqa: SIM118
    try:
        request = json.loads(row["request"])
    except (ValueError, TypeError, RecursionError):
        request = None
    return Job(request=request if isinstance(request, dict) else {}, **fields)
