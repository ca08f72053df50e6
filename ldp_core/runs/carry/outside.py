"""Rounds measured by other programs, stored under a name to be drawn beside this program's runs: the settings
behind them are unknown. A file is imported whole or not at all.
"""

import time
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from ldp_core.errors import InvalidInput, NotYours, UnknownJob, on_one_line, printable
from ldp_core.runs.carry.rounds_of_others import MOST_BYTES, MOST_NAME, Line, read
from ldp_core.runs.queue import new_id
from ldp_core.runs.queue.permissions import OPERATOR, Person
from ldp_core.runs.storage.database import Database

DATABASE = Database(
    "rounds.sqlite",
    """
CREATE TABLE IF NOT EXISTS rounds (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    owner TEXT,
    place TEXT,                -- an address, or its owner where none is known
    at REAL NOT NULL,          -- when it was brought here
    lines TEXT NOT NULL        -- as JSON: label, seed, and by figure its values; no list reads it
);
""",
    format=1,
)
ROUNDS = (".csv", ".tsv", ".jsonl", ".json", ".txt")
EACH, ALL = 20, 200
"""Most files of one person, and of all: beyond them the oldest of the address with the most is deleted."""
LINES = TypeAdapter(tuple[Line, ...])


@dataclass(frozen=True)
class Outside:
    """Rounds of one file, which lists leave out."""

    id: str
    name: str
    owner: str | None
    lines: tuple[Line, ...] = ()


def bring_rounds(file: Path) -> str:
    """Import the rounds of a file under its name, as `take` does."""
    try:
        with file.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"{on_one_line(str(file))} cannot be read ({error.strerror})") from error
    return take(content, file.stem)


def take(content: bytes, name: str, owner: str | None = None, address: str | None = None) -> str:
    """Import rounds; returns an id. InvalidInput names the wrong line, or says that there are too many."""
    identity, title, kept = new_id(), " ".join(name.split())[:MOST_NAME], LINES.dump_json(read(content))
    with DATABASE.writing() as db:
        mine = db.execute("SELECT COUNT(*) FROM rounds WHERE owner = ?", (owner,)).fetchone()[0]
        if mine >= EACH:
            raise InvalidInput(f"{mine} files of yours are here, as many as one person may have: remove one")
        if db.execute("SELECT COUNT(*) FROM rounds").fetchone()[0] >= ALL:
            fullest = "SELECT place FROM rounds GROUP BY place ORDER BY COUNT(*) DESC, MIN(at) LIMIT 1"
            oldest = f"SELECT id FROM rounds WHERE place IS ({fullest}) ORDER BY at LIMIT 1"  # noqa: S608
            db.execute(f"DELETE FROM rounds WHERE id = ({oldest})")  # noqa: S608
        title = title if printable(title) else "rounds"
        values = (identity, title, owner, address or owner, time.time(), kept.decode())
        db.execute("INSERT INTO rounds VALUES (?, ?, ?, ?, ?, ?)", values)
    return identity


def known(most: int = 60) -> list[Outside]:
    """The latest imports, newest first."""
    query = "SELECT id, name, owner FROM rounds ORDER BY at DESC LIMIT ?"
    return [Outside(**row) for row in DATABASE.rows(query, most)]


def get(identity: str) -> Outside | None:
    for row in DATABASE.rows("SELECT id, name, owner, lines FROM rounds WHERE id = ?", identity):
        return Outside(**dict(row) | {"lines": LINES.validate_json(row["lines"])})
    return None


def remove(identity: str, person: Person = OPERATOR) -> None:
    found = get(identity)
    if found is None:
        raise UnknownJob(identity)
    if not person.owns(found.owner):
        raise NotYours("only the person who brought these rounds can remove them, or a teacher")
    DATABASE.change("DELETE FROM rounds WHERE id = ?", identity)
