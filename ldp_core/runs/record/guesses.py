"""What a visitor guessed about settings before a run: it survives a reload and is in no link."""

import json
import time
from hashlib import sha256

from ldp_core.experiment import Draft
from ldp_core.runs.storage import inventory
from ldp_core.runs.storage.database import Database
from ldp_core.runs.storage.inventory import StoredItem
from ldp_core.system.json_file import from_text

DATABASE = Database(
    "guessed.sqlite",
    """
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
""",
)
GuessValue = float | str


def keep(who: str, draft: Draft, guess: GuessValue, address: str | None = None) -> None:
    """Store a visitor's guess about a draft's settings; an earlier one is replaced."""
    row = (who, key_of(draft), json.dumps(guess))
    _enter(who, row[1], row[2], address)
    DATABASE.change("INSERT OR REPLACE INTO guessed VALUES (?, ?, ?)", *row)


def of(who: str, draft: Draft) -> GuessValue | None:
    return all_of(who).get(key_of(draft))


def all_of(who: str) -> dict[str, GuessValue]:
    rows = DATABASE.rows("SELECT * FROM guessed WHERE who = ?", who)
    found = {row["about"]: from_text(row["body"], object) for row in rows}
    return {about: guess for about, guess in found.items() if isinstance(guess, float | int | str)}


def _enter(who: str, about: str, body: str, address: str | None) -> None:
    inventory.enter(StoredItem("guess", f"{who} {about}", len(body), time.time(), None, who, address))


def skip(who: str, scenario: str, skipped: bool = True, address: str | None = None) -> None:
    """Store whether a visitor is not to be asked about a scenario."""
    query = "INSERT OR IGNORE INTO passed VALUES (?, ?)"
    if not skipped:
        query = "DELETE FROM passed WHERE who = ? AND scenario = ?"
    else:
        _enter(who, scenario, scenario, address)
    DATABASE.change(query, who, scenario)


def shown(who: str, draft: Draft, address: str | None = None) -> None:
    if not is_skipped(who, about := key_of(draft)):
        skip(who, about, address=address)


def lying() -> list[StoredItem]:
    """Guesses as the inventory has them; settings guessed at and shown count once."""
    query = "SELECT who, about, body FROM guessed UNION ALL SELECT who, scenario, scenario FROM passed"
    return [
        StoredItem("guess", f"{row[0]} {row[1]}", len(row[2]), 0.0, owner=row[0])
        for row in DATABASE.rows(query)
    ]


def erase(identity: str) -> None:
    who, _, about = identity.partition(" ")
    with DATABASE.writing() as db:
        db.execute("DELETE FROM guessed WHERE who = ? AND about = ?", (who, about))
        db.execute("DELETE FROM passed WHERE who = ? AND scenario = ?", (who, about))


def is_skipped(who: str, scenario: str) -> bool:
    return scenario in all_skipped(who)


def all_skipped(who: str) -> set[str]:
    return {row["scenario"] for row in DATABASE.rows("SELECT scenario FROM passed WHERE who = ?", who)}


def key_of(draft: Draft) -> str:
    return sha256(json.dumps(draft.as_json(), sort_keys=True).encode()).hexdigest()[:12]
