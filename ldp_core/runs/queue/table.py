"""The queue: one row a job, and the only transitions that a job may make."""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ldp_core.errors import NotNow, QueueFull, UnknownJob
from ldp_core.runs.machine import slots
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.states import LIVE, MAY_BECOME, RESUMABLE, Status
from ldp_core.runs.storage.database import reading, writing
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.system import process_identity

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
        if live := _live(db, draft, kind):
            return live
        _refuse_crowds(db, owner)
        db.execute(
            "INSERT INTO jobs (id, kind, draft, request, status, created, owner) "
            "VALUES (?, ?, ?, ?, 'queued', ?, ?)",
            (identity, kind, draft, json.dumps(request), time.time(), owner),
        )
    return identity


def _live(db: sqlite3.Connection, draft: str | None, kind: str) -> str | None:
    """The job of a draft that waits or runs, if there is one."""
    query = f"SELECT id FROM jobs WHERE draft = ? AND kind = ? AND status IN {LIVE}"  # noqa: S608
    row = None if draft is None else db.execute(query, (draft, kind)).fetchone()
    return str(row["id"]) if row else None


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


def status(identity: str) -> Status | None:
    """A job's state, and no more; None if there is no such job."""
    with reading(queue_path()) as db:
        row = db and db.execute("SELECT status FROM jobs WHERE id = ?", (identity,)).fetchone()
    return row["status"] if row else None


def find(where: str = "1", values: tuple[Any, ...] = (), most: int = 100) -> list[Job]:
    """Jobs that fulfil a condition of this package (never of a user), newest first."""
    with reading(queue_path()) as db:
        if db is None:
            return []
        query = f"SELECT * FROM jobs WHERE {where} ORDER BY place DESC LIMIT ?"  # noqa: S608
        return [_job(row) for row in db.execute(query, (*values, most))]


def ahead_of(job: Job) -> int:
    """How many jobs will run before a queued one, the running ones included."""
    before = sum(other.id != job.id for other in running())  # it may have begun since it was looked up
    order = [waiting.id for waiting in in_turn()]
    return before + (order.index(job.id) if job.id in order else 0)


def running() -> list[Job]:
    """The jobs that have a process, newest first."""
    return find("status IN ('running', 'cancelling')", most=1000)


def in_turn(newcomer: Job | None = None) -> list[Job]:
    """The queued jobs, and one that might come, in the order of their turns, as if all took equally long.

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
        queued += [newcomer] if newcomer else []
        latest = _last_turns(db)
        began = "SELECT * FROM jobs WHERE status IN ('running', 'cancelling') ORDER BY started"
        running = [_job(row).owner for row in db.execute(began)] if queued else []
    order: list[Job] = []
    turn, most = max(latest.values(), default=0.0), slots.at_work()
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
    """Move a job that waits or runs to another state; False if it may not (any more). One that has ended is
    taken up by `requeue` alone.
    """
    sources = [status for status in LIVE if to in MAY_BECOME[status]]
    marks = ", ".join("?" * len(sources))
    final = to not in LIVE
    with _writing() as db:
        # why somebody has stopped it is kept
        said = "CASE WHEN status = 'cancelling' AND ? = 'cancelled' THEN message ELSE ? END"
        done = db.execute(
            f"UPDATE jobs SET status = ?, message = {said}, ended = ? WHERE id = ? AND status IN ({marks})",  # noqa: S608
            (to, to, message, time.time() if final else None, identity, *sources),
        )
        return done.rowcount == 1


def cancel(identity: str, why: str = "") -> None:
    """Ask for a job to stop: one that waits has stopped, of one that runs its worker says when it has."""
    with _writing() as db:
        query = "UPDATE jobs SET status = 'cancelled', message = ?, ended = ? WHERE id = ? AND status = ?"
        if not db.execute(query, (why, time.time(), identity, "queued")).rowcount:
            query = "UPDATE jobs SET status = 'cancelling', message = ? WHERE id = ? AND status = 'running'"
            db.execute(query, (why, identity))


def requeue(identity: str) -> bool:
    """Put a job that has stopped at the end of the queue again; False if it may not go there.

    Raises:
        QueueFull: its owner, or everybody together, has enough jobs waiting.
        NotNow: another job of the same draft waits or runs.
    """
    marks = ", ".join("?" * len(RESUMABLE))
    with _writing() as db:
        query = f"SELECT owner, draft, kind FROM jobs WHERE id = ? AND status IN ({marks})"  # noqa: S608
        row = db.execute(query, (identity, *RESUMABLE)).fetchone()
        if row is None:
            return False
        if other := _live(db, row["draft"], row["kind"]):
            raise NotNow(f"job {other} of the same draft waits or runs; stop it first, or wait for its end")
        _refuse_crowds(db, row["owner"])
        last = db.execute("SELECT MAX(place) AS place FROM jobs").fetchone()["place"] or 0
        sets = "status = 'queued', message = '', ended = NULL, owner_pid = NULL, pid = NULL, place = ?"
        db.execute(f"UPDATE jobs SET {sets} WHERE id = ?", (last + 1, identity))  # noqa: S608
        return True


@contextmanager
def held(identity: str) -> Iterator[Job]:
    """A job that nobody takes up, removes or changes in any way meanwhile.

    Raises:
        UnknownJob: there is no such job.
    """
    with _writing() as db:
        row = db.execute("SELECT * FROM jobs WHERE id = ?", (identity,)).fetchone()
        if row is None:
            raise UnknownJob(identity)
        yield _job(row)


def drop(identity: str, first: Callable[[], bool]) -> bool:
    """Do `first`, and forget a job that neither waits nor runs; False, and nothing is done, if it does, or
    if `first` says that it has done nothing.
    """
    with _writing() as db:
        if not _rests(db, identity) or not first():
            return False
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
    pid, since = process_identity.identity()
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


def take(identity: str) -> Job | None:
    """Take a queued job for this process, out of its turn and without a slot; None if it is not queued."""
    with _writing() as db:
        sets = "status = 'running', owner_pid = ?, owner_since = ?"
        query = f"UPDATE jobs SET {sets} WHERE id = ? AND status = 'queued'"  # noqa: S608
        if not db.execute(query, (*process_identity.identity(), identity)).rowcount:
            return None
        return _job(db.execute("SELECT * FROM jobs WHERE id = ?", (identity,)).fetchone())


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


def reap(watched: Collection[str] | None = None) -> list[str]:
    """Mark the jobs as interrupted that are `lost`; returns their ids."""
    return [row["id"] for row, why in _lost(watched) if _interrupt(row, why)]


def lost() -> dict[str, str]:
    """The jobs that nobody looks after any more, marked or not, and what has become of each."""
    return {row["id"]: why for row, why in _lost(None)}


def _lost(watched: Collection[str] | None) -> list[tuple[sqlite3.Row, str]]:
    """Jobs of owners that have died; and, if this process says which ones it has `watched` over, all others
    that are noted as its own: nobody would ever write down how they end.
    """
    with reading(queue_path()) as db:
        query = "SELECT id, owner_pid, owner_since FROM jobs WHERE status IN ('running', 'cancelling')"
        rows = db.execute(query).fetchall() if db else []
    own = process_identity.identity() if rows and watched is not None else None
    found = list[tuple[sqlite3.Row, str]]()
    for row in rows:
        owner = row["owner_pid"], row["owner_since"]
        if not process_identity.is_alive(*owner):
            found.append((row, "the worker was stopped from outside"))
        elif owner == own and row["id"] not in (watched or ()):
            found.append((row, "its process could not be started, or was lost sight of"))
    return found


def _interrupt(row: sqlite3.Row, why: str) -> bool:
    """Mark a job without an owner so; False if somebody has taken it up meanwhile."""
    message = f"{why}; what it had trained until then is kept"
    with _writing() as db:
        query = (
            "UPDATE jobs SET status = 'interrupted', message = ?, ended = ? WHERE id = ? "
            "AND owner_pid IS ? AND owner_since IS ? AND status IN ('running', 'cancelling')"
        )
        whose = (row["id"], row["owner_pid"], row["owner_since"])
        return db.execute(query, (message, time.time(), *whose)).rowcount == 1


def _job(row: sqlite3.Row) -> Job:
    fields = {k: row[k] for k in row.keys() if k not in ("request", "owner_pid", "owner_since")}  # noqa: SIM118
    for name in ("started", "ended", "pid"):  # of a damaged row: no times rather than no queue
        fields[name] = fields[name] if isinstance(fields[name], int | float) else None
    fields["created"] = fields["created"] if isinstance(fields["created"], int | float) else 0.0
    fields["message"] = fields["message"] if isinstance(fields["message"], str) else ""
    return Job(text=row["request"], **fields)
