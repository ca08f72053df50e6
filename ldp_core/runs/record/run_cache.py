"""Has this run been trained, or is somebody at it? Which job has it, by the run's key: none is trained twice.

What another version of the program has trained (`ldp_core.behaviour`) does not count: its figures may be
others. Nor does what another engine has trained (`name_of`): its last bits are. A run may be held by several
jobs, of which one has trained it and the others refer to it: it is known as long as one of them is there.
What stands here is a hint, and whoever finds a run has looked at the record itself.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldp_core.behaviour import version
from ldp_core.engines.choice import bits
from ldp_core.errors import StorageFailed
from ldp_core.experiment import Experiment
from ldp_core.runs.record.reference import Source, is_whole
from ldp_core.runs.record.store import copied, source_of, told_of
from ldp_core.runs.storage.database import reading, writing
from ldp_core.runs.storage.holding import is_written
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.system.process_identity import identity, is_alive

HELD = """
CREATE TABLE IF NOT EXISTS held (
    key TEXT NOT NULL,       -- `name_of` the experiment
    program TEXT NOT NULL,   -- the version that trained it
    job TEXT NOT NULL,       -- that has the run in its record
    run INTEGER NOT NULL,
    PRIMARY KEY (key, program, job, run)
)
"""
UNDER_WAY = """
CREATE TABLE IF NOT EXISTS under_way (
    key TEXT NOT NULL,
    program TEXT NOT NULL,
    job TEXT NOT NULL,
    pid INTEGER NOT NULL,    -- the process that trains it
    since REAL NOT NULL,
    PRIMARY KEY (key, program)
)
"""
SCHEMA = f"{HELD}; {UNDER_WAY}; PRAGMA user_version = 1;"
"""A file of an earlier day has other tables, so whoever writes makes sure of its own."""


@dataclass(frozen=True)
class Known:
    """A finished run."""

    job: str
    """That has trained it."""
    holder: str
    """The job in whose record it was found."""
    run: int
    """Its number there."""
    source: Source | None
    """Where it is stored; None where that is two places."""

    def bodies(self) -> list[dict[str, Any]]:
        """Its events.

        Raises:
            StorageFailed: they cannot be read.
        """
        return told_of(_folder(self.holder), self.run)


def name_of(experiment: Experiment) -> str:
    """What a run goes by here: the experiment's identity, and the engine where it is not the usual one."""
    engine = bits(experiment)
    return f"{experiment.key} {engine}" if engine else experiment.key


def note(job: str, runs: Mapping[int, str]) -> None:
    """Remember that a job has finished runs in its record, or is about to have them: each with its name."""
    with writing(_path(), SCHEMA) as db:
        db.execute(HELD)
        rows = [(key, version(), job, run) for run, key in runs.items()]
        db.executemany("INSERT OR IGNORE INTO held VALUES (?, ?, ?, ?)", rows)


def forget(job: str) -> None:
    """Of a job whose record was removed; where that cannot be written down, whoever looks finds out."""
    with suppress(StorageFailed):
        if not _path().exists():
            return
        with writing(_path(), SCHEMA) as db:
            db.execute(HELD)
            db.execute("DELETE FROM held WHERE job = ?", (job,))


def find(key: str) -> Known | None:
    """A finished run of this experiment, in whichever job's record it is whole; None if it is in none."""
    with suppress(StorageFailed), reading(_path()) as db:
        query = "SELECT job, run FROM held WHERE key = ? AND program = ? ORDER BY rowid"
        rows = db.execute(query, (key, version())).fetchall() if db else []
        for row in rows:
            if found := _held(str(row["job"]), int(row["run"])):
                return found
    return None  # then it is trained again


def _held(job: str, run: int) -> Known | None:
    folder = _folder(job)
    try:
        source = source_of(folder, run)
        if is_whole(source) if source else is_complete(told_of(folder, run)):
            return Known(copied(folder).get(run, job), job, run, source)
    except (StorageFailed, LookupError, TypeError):
        pass
    return None


def _folder(job: str) -> Path:
    return runs_dir() / "jobs" / job


def has(keys: Collection[str]) -> bool:
    """True if each of these experiments seems to be finished; only `find` knows whether it can be read."""
    try:
        with reading(_path()) as db:
            query = (
                "SELECT DISTINCT key FROM held WHERE program = ? AND key IN (SELECT value FROM json_each(?))"
            )
            known = db.execute(query, (version(), json.dumps([*keys]))).fetchall() if db else []
    except StorageFailed:
        return False
    return set(keys) <= {row["key"] for row in known}


def is_complete(told: list[dict[str, Any]]) -> bool:
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
        held = {row["key"]: row for row in db.execute(query, (version(),)) if row["key"] in keys}
        for key in keys:
            row = held.get(key)
            if row and (row["pid"], row["since"]) != (pid, since) and _is_at_it(row, job):
                theirs[key] = str(row["job"])
            elif not row or (row["pid"], row["since"]) != (pid, since):
                values = (key, version(), job, pid, since)
                db.execute("INSERT OR REPLACE INTO under_way VALUES (?, ?, ?, ?, ?)", values)
    return theirs


def _is_at_it(row: sqlite3.Row, job: str) -> bool:
    """True while another process trains what it has said, here or where only its record's lock tells."""
    if is_alive(row["pid"], row["since"]):
        return True
    # of its own record whoever asks holds the lock itself
    return row["job"] != job and is_written(_folder(str(row["job"])))


def leave() -> None:
    """This process trains nothing any more."""
    with writing(_path(), SCHEMA) as db:
        db.execute(UNDER_WAY)
        db.execute("DELETE FROM under_way WHERE pid = ? AND since = ?", identity())


def _path() -> Path:
    return runs_dir() / "finished.sqlite"
