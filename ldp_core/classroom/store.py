"""Database of all classes; deleted rows are overwritten on the disk."""

import sqlite3

from ldp_core.errors import StudioError
from ldp_core.runs.storage.database import Database

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
CREATE TABLE IF NOT EXISTS rule (
    code TEXT PRIMARY KEY,
    locked INTEGER NOT NULL DEFAULT 0,    -- new members are refused
    numbered INTEGER NOT NULL DEFAULT 0   -- numbers stand in place of names
);
CREATE TABLE IF NOT EXISTS removed (
    code TEXT NOT NULL, who TEXT NOT NULL,   -- taken out by the teacher, and stays out
    PRIMARY KEY (code, who)
);
CREATE TABLE IF NOT EXISTS renamed (
    code TEXT NOT NULL, who TEXT NOT NULL,   -- by the teacher, which lasts
    PRIMARY KEY (code, who)
);
CREATE TABLE IF NOT EXISTS leader (
    code TEXT NOT NULL, who TEXT NOT NULL,   -- shows the wall
    PRIMARY KEY (code, who)
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
CREATE TABLE IF NOT EXISTS bit (
    code TEXT NOT NULL, scenario TEXT NOT NULL, who TEXT NOT NULL,
    epsilon TEXT NOT NULL,   -- its name
    bit INTEGER NOT NULL,    -- as the coin left it; -1 of one who has left
    PRIMARY KEY (code, scenario, who, epsilon)
);
"""
TABLES = ("bit", "drawing", "class", "rule", "removed", "renamed", "leader", "member", "guess", "try")


class UnknownClass(StudioError, LookupError):
    """A code that belongs to no class that is open."""

    def __init__(self, code: str) -> None:
        super().__init__(f"there is no class {code} (any more); its code stands on the wall, five letters")


CLASSES = Database("class.sqlite", SCHEMA, grows=True)


def forget(db: sqlite3.Connection, code: str) -> None:
    """Delete all rows of a class."""
    for table in TABLES:
        db.execute(f"DELETE FROM {table} WHERE code = ?", (code,))  # noqa: S608
