"""Runs that are finished or under way, by what they are: the same one is not trained twice.

What another version of the program has trained does not count: its figures may be others. Nor does what
another engine has trained (`name_of`): its last bits are.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

from ldp_core.engines.choice import bits
from ldp_core.errors import StorageFailed
from ldp_core.experiment import Experiment
from ldp_core.runs.record.store import Stored, events_after
from ldp_core.runs.storage.database import reading, writing
from ldp_core.runs.storage.holding import is_written
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.system.process_identity import identity, is_alive

SCHEMA = """
CREATE TABLE IF NOT EXISTS finished (
    key TEXT NOT NULL,       -- `name_of` the experiment
    program TEXT NOT NULL,   -- the version that trained it
    job TEXT NOT NULL,
    run INTEGER NOT NULL,
    PRIMARY KEY (key, program)
);
PRAGMA user_version = 1;
"""
UNDER_WAY = """
CREATE TABLE IF NOT EXISTS under_way (
    key TEXT NOT NULL,
    program TEXT NOT NULL,
    job TEXT NOT NULL,
    pid INTEGER NOT NULL,    -- the process that trains it
    since REAL NOT NULL,
    PRIMARY KEY (key, program)
);
"""
"""Apart from the schema: a file of an earlier day has only the other table."""


def name_of(experiment: Experiment) -> str:
    """What a run goes by here: the experiment's identity, and the engine where it is not the usual one."""
    engine = bits(experiment)
    return f"{experiment.key} {engine}" if engine else experiment.key


def note(key: str, job: str, run: int) -> None:
    """Remember that a job has finished a run."""
    with writing(_path(), SCHEMA) as db:
        db.execute("INSERT OR REPLACE INTO finished VALUES (?, ?, ?, ?)", (key, program(), job, run))


def find(key: str) -> tuple[str, list[Stored]] | None:
    """The job that has finished a run of this experiment, and the run's events; None if there is none."""
    try:
        with reading(_path()) as db:
            query = "SELECT job, run FROM finished WHERE key = ? AND program = ?"
            row = db and db.execute(query, (key, program())).fetchone()
        if not row:
            return None
        folder = runs_dir() / "jobs" / row["job"]
        events = [event for event in events_after(folder) if event.run == row["run"]]
        whole = _is_whole([event.body for event in events])
    except (StorageFailed, LookupError, TypeError):
        return None  # then it is trained again
    return (row["job"], events) if whole else None


def has(keys: Collection[str]) -> bool:
    """True if each of these experiments seems to be finished; only `find` knows whether it can be read."""
    try:
        with reading(_path()) as db:
            query = "SELECT key FROM finished WHERE program = ?"
            known = {row["key"] for row in db.execute(query, (program(),))} if db else set()
    except StorageFailed:
        return False
    return set(keys) <= known


def _is_whole(told: list[dict[str, Any]]) -> bool:
    """True for the events of a run that was completed, with all of its rounds."""
    if not told or told[-1]["event"] != "end" or told[-1]["status"] != "completed":
        return False
    return [one["round"] for one in told if one["event"] == "round"] == [*range(1, told[-1]["round"] + 1)]


def begin(keys: Collection[str], job: str) -> dict[str, str]:
    """Say that this process trains these experiments now.

    Returns:
        those that another living process trains already, each with its job; the rest are this one's.
    """
    pid, since = identity()
    theirs = {}
    with writing(_path(), SCHEMA) as db:
        db.execute(UNDER_WAY)
        query = "SELECT * FROM under_way WHERE program = ?"
        held = {row["key"]: row for row in db.execute(query, (program(),)) if row["key"] in keys}
        for key in keys:
            row = held.get(key)
            if row and (row["pid"], row["since"]) != (pid, since) and _is_at_it(row, job):
                theirs[key] = str(row["job"])
            elif not row or (row["pid"], row["since"]) != (pid, since):
                values = (key, program(), job, pid, since)
                db.execute("INSERT OR REPLACE INTO under_way VALUES (?, ?, ?, ?, ?)", values)
    return theirs


def _is_at_it(row: sqlite3.Row, job: str) -> bool:
    """True while another process trains what it has said, here or where only its record's lock tells."""
    if is_alive(row["pid"], row["since"]):
        return True
    # of its own record whoever asks holds the lock itself
    return row["job"] != job and is_written(runs_dir() / "jobs" / str(row["job"]))


def leave() -> None:
    """This process trains nothing any more."""
    with writing(_path(), SCHEMA) as db:
        db.execute(UNDER_WAY)
        db.execute("DELETE FROM under_way WHERE pid = ? AND since = ?", identity())


@cache
def program() -> str:
    """The version of the program that trains: a digest of its source, as it was when this process, or the
    worker that it was forked from, first asked. Files may be replaced while a process runs.
    """
    digest = hashlib.sha256()
    root = Path(__file__).parents[2]
    for file in sorted(root.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _path() -> Path:
    return runs_dir() / "finished.sqlite"
