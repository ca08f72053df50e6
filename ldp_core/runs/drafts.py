"""Drafts and snapshots: what people are working on, and what they share.

A draft keeps its revisions, so that a change can be undone; a snapshot never changes.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from pathlib import Path
from typing import Any

from ldp_core.errors import StudioError
from ldp_core.experiment import Draft, parse_draft
from ldp_core.runs.database import reading, writing
from ldp_core.runs.paths import runs_dir

SCHEMA = """
CREATE TABLE IF NOT EXISTS revisions (
    draft TEXT NOT NULL,
    number INTEGER NOT NULL,
    body TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (draft, number)
);
CREATE TABLE IF NOT EXISTS snapshots (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    at REAL NOT NULL
);
PRAGMA user_version = 1;
"""
ID = re.compile(r"[0-9a-f]{12}")
REVISIONS = 50
"""Older ones are forgotten."""


def new(draft: Draft) -> str:
    """Keep a new draft; returns its id."""
    identity = secrets.token_hex(6)
    save(identity, draft)
    return identity


def save(identity: str, draft: Draft) -> None:
    """Add a revision; nothing happens if it equals the last one."""
    body = json.dumps(draft.as_json(), sort_keys=True)
    with writing(_path(), SCHEMA) as db:
        last = db.execute(
            "SELECT number, body FROM revisions WHERE draft = ? ORDER BY number DESC LIMIT 1", (identity,)
        ).fetchone()
        if last and last["body"] == body:
            return
        number = last["number"] + 1 if last else 1
        db.execute("INSERT INTO revisions VALUES (?, ?, ?, ?)", (identity, number, body, time.time()))
        db.execute("DELETE FROM revisions WHERE draft = ? AND number <= ?", (identity, number - REVISIONS))


def load(identity: str) -> Draft | None:
    """The newest revision; None if there is no such draft, or no version of this program reads it."""
    return _read("SELECT body FROM revisions WHERE draft = ? ORDER BY number DESC LIMIT 1", identity)


def undo(identity: str) -> bool:
    """Forget the newest revision, if there is an older one."""
    if not can_undo(identity):
        return False
    with writing(_path(), SCHEMA) as db:
        db.execute(
            "DELETE FROM revisions WHERE draft = ?1 AND number = "
            "(SELECT max(number) FROM revisions WHERE draft = ?1)",
            (identity,),
        )
    return True


def can_undo(identity: str) -> bool:
    """True if there is an older revision."""
    with reading(_path()) as db:
        count = db and db.execute("SELECT count(*) FROM revisions WHERE draft = ?", (identity,)).fetchone()[0]
    return bool(count and count > 1)


def recent(most: int = 6) -> list[tuple[str, Draft, float]]:
    """The drafts that were changed last: id, newest revision, when."""
    query = "SELECT draft, max(number), body, at FROM revisions GROUP BY draft ORDER BY at DESC LIMIT ?"
    with reading(_path()) as db:
        rows = db.execute(query, (most,)).fetchall() if db else []
    found = [(row["draft"], _parsed(row["body"]), row["at"]) for row in rows]
    return [(identity, draft, at) for identity, draft, at in found if draft is not None]


def share(draft: Draft) -> str:
    """Keep a snapshot; returns its id. The same draft gives the same snapshot."""
    body = json.dumps(draft.as_json(), sort_keys=True)
    with writing(_path(), SCHEMA) as db:
        known = db.execute("SELECT id FROM snapshots WHERE body = ?", (body,)).fetchone()
        if known:
            return str(known["id"])
        identity = secrets.token_hex(6)
        db.execute("INSERT INTO snapshots VALUES (?, ?, ?)", (identity, body, time.time()))
    return identity


def snapshot(identity: str) -> Draft | None:
    """The draft behind a shared link; None if there is none."""
    return _read("SELECT body FROM snapshots WHERE id = ?", identity)


def _read(query: str, identity: str) -> Draft | None:
    if not ID.fullmatch(identity):
        return None
    with reading(_path()) as db:
        row: Any = db and db.execute(query, (identity,)).fetchone()
    return _parsed(row["body"]) if row else None


def _parsed(body: str) -> Draft | None:
    try:
        return parse_draft(json.loads(body))
    except (StudioError, ValueError):
        return None


def _path() -> Path:
    return runs_dir() / "drafts.sqlite"
