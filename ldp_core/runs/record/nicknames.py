"""Nicknames that are shown beside visitors' runs. A visitor is asked once and may skip the question."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from ldp_core.errors import InvalidInput
from ldp_core.runs.storage.database import rows_of, writing
from ldp_core.runs.storage.paths import runs_dir

SCHEMA = """
CREATE TABLE IF NOT EXISTS nickname (
    who TEXT PRIMARY KEY,  -- the visitor's digest, as jobs have it
    name TEXT NOT NULL     -- "" where the question was skipped
);
"""
MOST_LETTERS = 20


def cleaned(name: str) -> str:
    """Name on one line, without control characters; InvalidInput if it is too long."""
    letters = (" " if unicodedata.category(one).startswith(("C", "Z")) else one for one in name)
    found = " ".join("".join(letters).split())
    if len(found) > MOST_LETTERS:
        raise InvalidInput(
            f"a name has at most {MOST_LETTERS} letters; this one has {len(found)}: shorten it"
        )
    return found


def keep(who: str, name: str) -> None:
    """Store a visitor's nickname; "" stores that the visitor skipped the question."""
    row = (who, cleaned(name))
    with writing(_path(), SCHEMA) as db:
        db.execute("PRAGMA secure_delete = ON")
        db.execute("INSERT OR REPLACE INTO nickname VALUES (?, ?)", row)


def everybody() -> dict[str, str]:
    """Nickname by visitor id; "" for a visitor who skipped the question."""
    return dict(map(tuple, rows_of(_path(), "SELECT who, name FROM nickname")))


def _path() -> Path:
    return runs_dir() / "nicknames.sqlite"
