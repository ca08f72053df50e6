"""Runs that are finished, by what they are: the same experiment and seed is not trained twice.

What another version of the program has trained does not count: its figures may be others.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from ldp_core.errors import StorageFailed
from ldp_core.runs.database import reading, writing
from ldp_core.runs.paths import runs_dir
from ldp_core.runs.store import Stored, events_after

SCHEMA = """
CREATE TABLE IF NOT EXISTS finished (
    key TEXT NOT NULL,       -- the experiment's identity
    program TEXT NOT NULL,   -- the version that trained it
    job TEXT NOT NULL,
    run INTEGER NOT NULL,
    PRIMARY KEY (key, program)
);
PRAGMA user_version = 1;
"""


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
    except StorageFailed:
        return None  # then it is trained again
    whole = events and events[-1].body["event"] == "end" and events[-1].body["status"] == "completed"
    return (row["job"], events) if whole else None


@cache
def program() -> str:
    """The version of the program that trains: a digest of its source."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[1]
    for file in sorted(root.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _path() -> Path:
    return runs_dir() / "finished.sqlite"
