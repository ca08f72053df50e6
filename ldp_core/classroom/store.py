"""Database of all classes; deleted rows are overwritten on the disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ldp_core.errors import StudioError
from ldp_core.runs.storage.database import reading, writing
from ldp_core.runs.storage.paths import runs_dir

SCHEMA = """
CREATE TABLE IF NOT EXISTS class (
    code TEXT PRIMARY KEY,
    teacher TEXT NOT NULL,   -- the owner's digest, as jobs have it
    opened REAL NOT NULL,    -- seconds since 1970
    scenario TEXT NOT NULL,
    phase TEXT NOT NULL,
    free TEXT NOT NULL,      -- the field that students may change in the last phase
    job TEXT                 -- the run that all watch
);
CREATE TABLE IF NOT EXISTS member (
    code TEXT NOT NULL, who TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (code, who)
);
CREATE TABLE IF NOT EXISTS guess (
    code TEXT NOT NULL, scenario TEXT NOT NULL, who TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (code, scenario, who)
);
CREATE TABLE IF NOT EXISTS try (
    code TEXT NOT NULL, scenario TEXT NOT NULL, who TEXT NOT NULL, job TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (code, job)
);
CREATE TABLE IF NOT EXISTS drawing (
    code TEXT NOT NULL, who TEXT NOT NULL, digit INTEGER NOT NULL,
    pixels BLOB NOT NULL,    -- 28 × 28, row by row, 255 for ink
    epsilon REAL NOT NULL, half REAL NOT NULL,
    PRIMARY KEY (code, who)
);
"""
TABLES = ("drawing", "class", "member", "guess", "try")


class UnknownClass(StudioError, LookupError):
    """A code that belongs to no class that is open."""

    def __init__(self, code: str) -> None:
        super().__init__(
            f"there is no class {code} (any more); its code stands on the teacher's board, four letters"
        )


@contextmanager
def changing() -> Iterator[sqlite3.Connection]:
    """A transaction that holds the write lock; deleted rows are overwritten with zeros."""
    with writing(path(), SCHEMA) as db:
        yield db


@contextmanager
def looking() -> Iterator[sqlite3.Connection | None]:
    """A read-only connection; None before the first class."""
    with reading(path()) as db:
        yield db


def forget(db: sqlite3.Connection, code: str) -> None:
    """Delete all rows of a class."""
    for table in TABLES:
        db.execute(f"DELETE FROM {table} WHERE code = ?", (code,))  # noqa: S608


def path() -> Path:
    return runs_dir() / "class.sqlite"
