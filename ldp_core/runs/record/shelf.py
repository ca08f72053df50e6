"""What the page Runs lists of each job, no record being read: final figures, the name and note people gave.

A thousand records are far too much to read for one page; this is two small tables for all of them. What is
not here is known from the record, or not at all: nothing else depends on it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldp_core.errors import InvalidInput, StorageFailed, printable
from ldp_core.runs.storage.database import reading, writing
from ldp_core.runs.storage.paths import runs_dir

SCHEMA = """
CREATE TABLE IF NOT EXISTS finals (
    job TEXT PRIMARY KEY,
    figures TEXT NOT NULL      -- as JSON: one object a variant (ldp_core.runs.view.final_figures)
);
CREATE TABLE IF NOT EXISTS labels (
    job TEXT PRIMARY KEY,
    name TEXT NOT NULL,        -- as its owner typed it
    note TEXT NOT NULL
);
PRAGMA user_version = 1;
"""
MOST_NAME, MOST_NOTE = 80, 500
"""Characters."""


@dataclass(frozen=True)
class Label:
    """What the owner of a run calls it; "" where that is what its experiment is called."""

    name: str = ""
    note: str = ""


def note_finals(job: str, figures: Sequence[dict[str, Any]]) -> None:
    """Keep what a job's variants came to; what cannot be kept is read from the record again."""
    with suppress(StorageFailed), writing(_path(), SCHEMA) as db:
        db.execute("INSERT OR REPLACE INTO finals VALUES (?, ?)", (job, json.dumps(list(figures))))


def copy_finals(job: str, other: str) -> bool:
    """Keep the same for a job as for another one with the same runs; False where that has nothing."""
    if not other:
        return False
    with suppress(StorageFailed), writing(_path(), SCHEMA) as db:
        query = "INSERT OR REPLACE INTO finals SELECT ?, figures FROM finals WHERE job = ?"
        return db.execute(query, (job, other)).rowcount == 1
    return False


def finals() -> dict[str, list[dict[str, Any]]]:
    """By job, what is kept of all of them."""
    found: dict[str, list[dict[str, Any]]] = {}
    with suppress(StorageFailed), reading(_path()) as db:
        for row in db.execute("SELECT job, figures FROM finals") if db else ():
            with suppress(ValueError):
                told = json.loads(row["figures"])
                found[row["job"]] = [one for one in told if isinstance(one, dict)]
    return found


def relabel(job: str, name: str, note: str) -> None:
    """Give a job a name and a note; both empty: as it was.

    Raises:
        InvalidInput: one is too long, or no text.
        StorageFailed: it cannot be kept.
    """
    given = {"a name": (name.strip(), MOST_NAME), "a note": (note.strip(), MOST_NOTE)}
    for what, (text, most) in given.items():
        if len(text) > most:
            raise InvalidInput(f"{what} has at most {most} characters; got {len(text)}: shorten it")
        if not printable(text):
            raise InvalidInput(f"{what} holds half a character, which no file takes: type it again")
    values = [text for text, _ in given.values()]
    with writing(_path(), SCHEMA) as db:
        if any(values):
            db.execute("INSERT OR REPLACE INTO labels VALUES (?, ?, ?)", (job, *values))
        else:
            db.execute("DELETE FROM labels WHERE job = ?", (job,))


def labels() -> dict[str, Label]:
    """By job, those that have one."""
    with suppress(StorageFailed), reading(_path()) as db:
        rows = db.execute("SELECT * FROM labels").fetchall() if db else []
        return {row["job"]: Label(str(row["name"]), str(row["note"])) for row in rows}
    return {}


def forget(job: str) -> None:
    """Of a job that was deleted."""
    with suppress(StorageFailed):
        if not _path().exists():
            return
        with writing(_path(), SCHEMA) as db:
            for table in ("finals", "labels"):
                db.execute(f"DELETE FROM {table} WHERE job = ?", (job,))  # noqa: S608


def _path() -> Path:
    return runs_dir() / "shelf.sqlite"
