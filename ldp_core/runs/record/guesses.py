"""What somebody guessed before a run, kept with the draft: it outlives a reload, and no link carries it.

A guess is about settings: whoever changes them is asked again, and Undo brings it back.
"""

from __future__ import annotations

import json
import sqlite3
from hashlib import sha256
from pathlib import Path

from ldp_core.experiment import Draft
from ldp_core.runs.storage.database import reading, writing
from ldp_core.runs.storage.paths import runs_dir

SCHEMA = """
CREATE TABLE IF NOT EXISTS guesses (
    draft TEXT NOT NULL,
    about TEXT NOT NULL,  -- the settings, by `key_of`
    body TEXT NOT NULL,   -- the guess, as JSON
    PRIMARY KEY (draft, about)
);
CREATE TABLE IF NOT EXISTS skipped (
    draft TEXT NOT NULL,
    scenario TEXT NOT NULL,
    PRIMARY KEY (draft, scenario)
);
"""
Guess = float | str


def keep(identity: str, draft: Draft, guess: Guess) -> None:
    """Remember a guess about these settings of the draft of that id; an earlier one is replaced."""
    with writing(_path(), SCHEMA) as db:
        row = (identity, key_of(draft), json.dumps(guess))
        db.execute("INSERT OR REPLACE INTO guesses VALUES (?, ?, ?)", row)


def of(identity: str, draft: Draft) -> Guess | None:
    """What was guessed about these settings; None where nothing was."""
    query = "SELECT body FROM guesses WHERE draft = ? AND about = ?"
    row = _row(query, identity, key_of(draft))
    try:
        found = json.loads(row["body"]) if row else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, float | int | str) else None


def skip(identity: str, scenario: str, skipped: bool = True) -> None:
    """Remember that the draft of that id is not to be asked about a scenario; or that it is again."""
    query = "INSERT OR IGNORE INTO skipped VALUES (?, ?)"
    if not skipped:
        query = "DELETE FROM skipped WHERE draft = ? AND scenario = ?"
    with writing(_path(), SCHEMA) as db:
        db.execute(query, (identity, scenario))


def is_skipped(identity: str, scenario: str) -> bool:
    """Whether it is not to be asked."""
    return _row("SELECT 1 FROM skipped WHERE draft = ? AND scenario = ?", identity, scenario) is not None


def key_of(draft: Draft) -> str:
    """What tells settings from others: 12 hex digits."""
    return sha256(json.dumps(draft.as_json(), sort_keys=True).encode()).hexdigest()[:12]


def _row(query: str, *values: str) -> sqlite3.Row | None:
    with reading(_path()) as db:
        found: sqlite3.Row | None = db.execute(query, values).fetchone() if db else None
    return found


def _path() -> Path:
    return runs_dir() / "guesses.sqlite"
