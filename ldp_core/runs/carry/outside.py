"""Rounds that were measured elsewhere, from a CSV or JSON lines: kept under a name, to be shown beside ours.

They are figures and no run: nothing here knows with which settings they came about, so nothing but drawing is
done with them. A file is taken whole or not at all.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

from ldp_core.errors import InvalidInput, NotYours, UnknownJob, on_one_line, printable
from ldp_core.runs.carry.rounds_of_others import MOST_BYTES, MOST_NAME, Line, read
from ldp_core.runs.queue import new_id
from ldp_core.runs.queue.people import OPERATOR, Person
from ldp_core.runs.queue.table import ID
from ldp_core.runs.storage.database import reading, writing
from ldp_core.runs.storage.paths import runs_dir

SCHEMA = """
CREATE TABLE IF NOT EXISTS outside (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    owner TEXT,
    at REAL NOT NULL,          -- when it was brought here
    lines TEXT NOT NULL        -- as JSON: label, seed, and by figure its values from round 0
);
PRAGMA user_version = 1;
"""
ROUNDS = (".csv", ".tsv", ".jsonl", ".json", ".txt")
"""What the names of such files end in."""
EACH, ALL = 20, 200
"""Files of one person, and of everybody."""


@dataclass(frozen=True)
class Outside:
    """The rounds of one file."""

    id: str
    name: str
    owner: str | None
    at: float
    lines: tuple[Line, ...]


def bring_rounds(file: Path) -> str:
    """Keep the rounds of a file under its name; returns an id.

    Raises:
        InvalidInput: it cannot be read, or makes no sense; in a sentence.
        StorageFailed: it cannot be kept.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"{on_one_line(str(file))} cannot be read ({error.strerror})") from error
    return take(content, file.stem)


def take(content: bytes, name: str, owner: str | None = None) -> str:
    """Keep the rounds of a file under a name; returns an id.

    Raises:
        InvalidInput: it makes no sense, in a sentence that names the line; or there are too many.
        StorageFailed: it cannot be kept.
    """
    lines = read(content)
    title = " ".join(name.split())[:MOST_NAME]
    identity, kept = new_id(), [vars(one) for one in lines]
    with writing(_path(), SCHEMA) as db:
        mine = db.execute("SELECT COUNT(*) FROM outside WHERE owner IS ?", (owner,)).fetchone()[0]
        if mine >= EACH or db.execute("SELECT COUNT(*) FROM outside").fetchone()[0] >= ALL:
            raise InvalidInput(
                f"there are {mine} files of yours here already, and {EACH} is the most of one person "
                f"({ALL} of all): remove one first"
            )
        values = (identity, title if printable(title) else "rounds", owner, time.time(), json.dumps(kept))
        db.execute("INSERT INTO outside VALUES (?, ?, ?, ?, ?)", values)
    return identity


def known(most: int = 60) -> list[Outside]:
    """The newest, newest first."""
    return _found("1 ORDER BY at DESC LIMIT ?", most)


def get(identity: str) -> Outside | None:
    """The one with this id; None if there is none."""
    return next(iter(_found("id = ?", identity)), None) if ID.fullmatch(identity) else None


def remove(identity: str, person: Person = OPERATOR) -> None:
    """Delete one.

    Raises:
        UnknownJob: there is none with this id.
        NotYours: somebody else has brought it.
    """
    found = get(identity)
    if found is None:
        raise UnknownJob(identity)
    if not person.owns(found.owner):
        raise NotYours("only whoever has brought these rounds can remove them, or a teacher")
    with writing(_path(), SCHEMA) as db:
        db.execute("DELETE FROM outside WHERE id = ?", (identity,))


def _found(where: str, value: str | int) -> list[Outside]:
    with reading(_path()) as db:
        query = f"SELECT * FROM outside WHERE {where}"  # noqa: S608
        rows = db.execute(query, (value,)).fetchall() if db else []
    return [
        Outside(
            row["id"],
            row["name"],
            row["owner"],
            row["at"],
            tuple(
                Line(one["label"], one["seed"], {k: tuple(map(tuple, v)) for k, v in one["figures"].items()})
                for one in json.loads(row["lines"])
            ),
        )
        for row in rows
    ]


def _path() -> Path:
    return runs_dir() / "outside.sqlite"
