"""The server's index of results, for sweeps and tuning: every experiment trained, and its final figures.

One row an experiment, whatever job has trained it: its identity, its fields and its final figures. What
another version of the program has trained counts as another result, and so does what was trained together
with other runs: its figures may differ in the last bits (see `bits`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldp_core.behaviour import version
from ldp_core.errors import StorageFailed
from ldp_core.experiment import Experiment
from ldp_core.runs.storage.database import reading, writing
from ldp_core.runs.storage.paths import runs_dir

SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    key TEXT NOT NULL,         -- the experiment's identity
    program TEXT NOT NULL,     -- the version that trained it
    bits TEXT NOT NULL,        -- what its figures are equal to, bit for bit
    job TEXT NOT NULL,         -- the job that trained it
    at REAL NOT NULL,          -- seconds since 1970
    experiment TEXT,           -- as JSON; NULL where that is long
    figures TEXT NOT NULL,     -- as JSON
    PRIMARY KEY (key, program, bits)
);
CREATE INDEX IF NOT EXISTS by_age ON results (at);
PRAGMA user_version = 1;
"""
MOST = 50_000
"""Results that are kept; the oldest go first."""
LONG = 20_000
"""Characters of an experiment that are too many to keep: its clients have budgets of their own."""


@dataclass(frozen=True)
class Result:
    """One row of the index."""

    key: str
    job: str
    figures: dict[str, Any]
    experiment: dict[str, Any] | None = None


def note(job: str, found: Iterable[tuple[Experiment, dict[str, Any]]], bits: str) -> None:
    """Remember what a job's experiments came to; what cannot be noted is trained again some day."""
    rows = []
    for experiment, figures in found:
        text = json.dumps(experiment.as_json())
        fields = text if len(text) <= LONG else None
        rows.append((experiment.key, version(), bits, job, time.time(), fields, json.dumps(figures)))
    if not rows:
        return
    with suppress(StorageFailed), writing(_path(), SCHEMA) as db:
        db.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        newest = "SELECT at FROM results ORDER BY at DESC LIMIT 1 OFFSET ?"
        db.execute(f"DELETE FROM results WHERE at <= ({newest})", (MOST,))  # noqa: S608


def find(keys: Collection[str], bits: str) -> dict[str, Result]:
    """What is known of these experiments, by this version of the program, to the same bits."""
    try:
        with reading(_path()) as db:
            query = (
                "SELECT key, job, figures FROM results WHERE program = ? AND bits = ? "
                "AND key IN (SELECT value FROM json_each(?))"
            )
            rows = db.execute(query, (version(), bits, json.dumps([*keys]))).fetchall() if db else []
        return {row["key"]: Result(row["key"], row["job"], dict(json.loads(row["figures"]))) for row in rows}
    except (StorageFailed, ValueError, TypeError):
        return {}  # then they are trained again


def newest(most: int = 1000) -> list[Result]:
    """What was trained last, with its fields, newest first.

    Raises:
        StorageFailed: the index cannot be read.
    """
    with reading(_path()) as db:
        query = "SELECT * FROM results ORDER BY at DESC LIMIT ?"
        rows = db.execute(query, (most,)).fetchall() if db else []
    try:
        return [
            Result(
                row["key"], row["job"], json.loads(row["figures"]), json.loads(row["experiment"] or "null")
            )
            for row in rows
        ]
    except (ValueError, TypeError) as error:
        raise StorageFailed(f"{_path().name} is damaged; move it away to start afresh") from error


def _path() -> Path:
    return runs_dir() / "results.sqlite"
