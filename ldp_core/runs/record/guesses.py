"""What a visitor guessed before a run, stored by visitor: guesses survive a reload and are in no link.

A guess belongs to the settings: after a change the visitor is asked again, and Undo restores the guess.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from ldp_core.experiment import Draft
from ldp_core.runs.storage.database import rows_of, writing
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.system.json_file import from_text

SCHEMA = """
CREATE TABLE IF NOT EXISTS guessed (
    who TEXT NOT NULL,
    about TEXT NOT NULL,  -- the settings, by `key_of`
    body TEXT NOT NULL,   -- the guess, as JSON
    PRIMARY KEY (who, about)
);
CREATE TABLE IF NOT EXISTS passed (
    who TEXT NOT NULL,
    scenario TEXT NOT NULL,  -- its name; or the key of settings whose answer was shown
    PRIMARY KEY (who, scenario)
);
"""
Guess = float | str


def keep(who: str, draft: Draft, guess: Guess) -> None:
    """Store a visitor's guess about a draft's settings; an earlier one is replaced."""
    with writing(_path(), SCHEMA) as db:
        row = (who, key_of(draft), json.dumps(guess))
        db.execute("INSERT OR REPLACE INTO guessed VALUES (?, ?, ?)", row)


def of(who: str, draft: Draft) -> Guess | None:
    """A visitor's guess about a draft's settings, or None."""
    return all_of(who).get(key_of(draft))


def all_of(who: str) -> dict[str, Guess]:
    """All guesses of a visitor, by the key of the settings."""
    query = "SELECT * FROM guessed WHERE who = ?"
    found = {row["about"]: _read(row["body"]) for row in rows_of(_path(), query, (who,))}
    return {about: guess for about, guess in found.items() if guess is not None}


def skip(who: str, scenario: str, skipped: bool = True) -> None:
    """Store whether a visitor is not to be asked about a scenario."""
    query = "INSERT OR IGNORE INTO passed VALUES (?, ?)"
    if not skipped:
        query = "DELETE FROM passed WHERE who = ? AND scenario = ?"
    with writing(_path(), SCHEMA) as db:
        db.execute(query, (who, scenario))


def shown(who: str, draft: Draft) -> None:
    """Note that a visitor has seen the results of a draft's settings."""
    if not is_skipped(who, about := key_of(draft)):
        skip(who, about)


def is_skipped(who: str, scenario: str) -> bool:
    return scenario in all_skipped(who)


def all_skipped(who: str) -> set[str]:
    found = rows_of(_path(), "SELECT scenario FROM passed WHERE who = ?", (who,))
    return {row["scenario"] for row in found}


def key_of(draft: Draft) -> str:
    """Digest of a draft's settings, 12 hex digits."""
    return sha256(json.dumps(draft.as_json(), sort_keys=True).encode()).hexdigest()[:12]


def _read(body: str) -> Guess | None:
    found = from_text(body, object)
    return found if isinstance(found, float | int | str) else None


def _path() -> Path:
    return runs_dir() / "guessed.sqlite"
