"""The record of one job: its runs and their events, in a database with a single writer."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldp_core.experiment import Run
from ldp_core.runs.database import opened, reading

SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    run INTEGER PRIMARY KEY,
    variant INTEGER NOT NULL,
    label TEXT NOT NULL,
    seed INTEGER NOT NULL,
    key TEXT NOT NULL,         -- the experiment's identity
    experiment TEXT NOT NULL   -- as JSON
);
CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    at REAL NOT NULL,          -- seconds since 1970
    body TEXT NOT NULL         -- as JSON
);
PRAGMA user_version = 1;
"""
FLUSH_SECONDS = 0.1


@dataclass(frozen=True)
class Stored:
    """One stored event."""

    seq: int
    run: int
    at: float
    body: dict[str, Any]


class Recorder:
    """Writes a job's events; commits a tenth of a second's worth at a time."""

    def __init__(self, folder: Path, runs: Sequence[Run]) -> None:
        self._db = opened(database(folder), SCHEMA)
        self._db.execute("BEGIN IMMEDIATE")
        for number, run in enumerate(runs):
            experiment = run.experiment
            self._db.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?)",
                (
                    number,
                    run.variant,
                    run.label,
                    experiment.seed,
                    experiment.key,
                    json.dumps(experiment.as_json()),
                ),
            )
        self._db.execute("COMMIT")
        self._waiting: list[tuple[int, float, str]] = []
        self._flushed = time.monotonic()

    def write(self, run: int, event: dict[str, Any]) -> None:
        """Append an event; it reaches the disk within a tenth of a second of the next one."""
        self._waiting.append((run, time.time(), json.dumps(event, allow_nan=False)))
        if time.monotonic() - self._flushed >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Commit what is waiting."""
        if self._waiting:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT INTO events (run, at, body) VALUES (?, ?, ?)", self._waiting)
            self._db.execute("COMMIT")
            self._waiting.clear()
        self._flushed = time.monotonic()

    def close(self) -> None:
        """Commit what is waiting and let go of the database."""
        self.flush()
        self._db.close()


def database(folder: Path) -> Path:
    """The database of a job's folder."""
    return folder / "events.sqlite"


def runs_of(folder: Path) -> list[dict[str, Any]]:
    """The runs of a job, as rows (experiment still as JSON text); empty before it has started."""
    with reading(database(folder)) as db:
        return [dict(row) for row in db.execute("SELECT * FROM runs ORDER BY run")] if db else []


def events_after(folder: Path, seq: int = 0) -> list[Stored]:
    """The events of a job that came after event number `seq`, in order."""
    with reading(database(folder)) as db:
        rows = db.execute("SELECT * FROM events WHERE seq > ? ORDER BY seq", (seq,)).fetchall() if db else []
    return [Stored(row["seq"], row["run"], row["at"], json.loads(row["body"])) for row in rows]
