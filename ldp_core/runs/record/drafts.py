"""Drafts, the experiments that people edit, with revisions for undo; and snapshots, which they share."""

import json
import logging
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Mapping
from math import log2
from typing import Any

from ldp_core.errors import StudioError, UnknownDraft
from ldp_core.experiment import Draft, parse_draft
from ldp_core.runs.storage.database import Database
from ldp_core.system.json_file import from_text

DATABASE = Database(
    "drafts.sqlite",
    """
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
CREATE TABLE IF NOT EXISTS ladders (
    id TEXT PRIMARY KEY,  -- of a draft or of a snapshot
    body TEXT NOT NULL    -- what its attacker is to do, as JSON without the base
);
CREATE TABLE IF NOT EXISTS typed (
    id TEXT NOT NULL,     -- of a draft
    field TEXT NOT NULL,  -- of a page, that is no part of the draft
    body TEXT NOT NULL,   -- what stands in it, as JSON
    PRIMARY KEY (id, field)
);
""",
    format=1,
)
LONG = 10_000
ID = re.compile(r"[0-9a-f]{12}")
LATEST = "SELECT number, body FROM revisions WHERE draft = ? ORDER BY number DESC LIMIT 1"
MOST = 200 * 10**6
"""Largest number of bytes of all drafts and links. The largest drafts go first, and of equally large ones
those unchanged for longest: a visitor who fills the space loses such drafts, while small ones stay.
"""
MOST_EACH = 4 * 10**6
"""Largest number of bytes of one draft's revisions; large drafts keep fewer."""
LEAST_REVISIONS, REVISIONS = 2, 50
"""Least and largest number of stored revisions of a draft."""
LEFT = 0.8
"""Share of the limit that remains in use after a deletion, so that deletions are rare."""
KEPT = {"revisions": "draft", "snapshots": "id", "ladders": "id", "typed": "id"}
"""Tables, each with its column of ids."""
SIZES = """
SELECT id, sum(length(body)) AS size, max(at) AS at
FROM (SELECT draft AS id, body, at FROM revisions UNION ALL SELECT id, body, at FROM snapshots)
WHERE id != ? GROUP BY id
"""
SHORTEN = """
DELETE FROM revisions WHERE draft = ?1 AND number IN (SELECT number FROM (
    SELECT number, row_number() OVER newest AS place, sum(length(body)) OVER newest AS size
    FROM revisions WHERE draft = ?1 WINDOW newest AS (ORDER BY number DESC)
) WHERE place > ?2 AND size > ?3)
"""


def new(draft: Draft) -> str:
    identity = secrets.token_hex(6)
    with DATABASE.writing() as db:
        _add(db, identity, 1, draft)
    return identity


def update(identity: str, change: Callable[[Draft], Draft]) -> Draft:
    """Change the latest revision of a draft and store the result as a new one, unless `change` raises or
    changes nothing; returns the draft afterwards, or raises UnknownDraft.

    One transaction: Streamlit may run a page twice at once, so a write must start from the latest revision.
    """
    if not ID.fullmatch(identity):
        raise UnknownDraft
    with DATABASE.writing() as db:
        last = db.execute(LATEST, (identity,)).fetchone()
        before = _parsed(last["body"]) if last else None
        if before is None:
            raise UnknownDraft
        after = change(before)
        if after != before:
            _add(db, identity, last["number"] + 1, after)
    return after


def _add(db: sqlite3.Connection, identity: str, number: int, draft: Draft) -> None:
    body = _as_text(draft.as_json())
    db.execute("INSERT INTO revisions VALUES (?, ?, ?, ?)", (identity, number, body, time.time()))
    db.execute("DELETE FROM revisions WHERE draft = ? AND number <= ?", (identity, number - REVISIONS))
    keep_within(db, identity, len(body))


def load(identity: str) -> Draft | None:
    """Latest revision of a draft; None if there is none, or if this version of the program cannot read it."""
    return _read(LATEST, identity)


def undo(identity: str) -> bool:
    """Delete the latest revision of a draft; False if it is the only one."""
    query = (
        "DELETE FROM revisions WHERE draft = ?1 "
        "AND number = (SELECT max(number) FROM revisions WHERE draft = ?1) "
        "AND number > (SELECT min(number) FROM revisions WHERE draft = ?1)"
    )
    return can_undo(identity) and DATABASE.change(query, identity) == 1


def can_undo(identity: str) -> bool:
    if not ID.fullmatch(identity):
        return False
    return len(DATABASE.rows("SELECT 1 FROM revisions WHERE draft = ? LIMIT 2", identity)) > 1


def share(draft: Draft, ladder: Mapping[str, Any] | None = None) -> str:
    """Store a snapshot of a draft and its attack grid; returns its id. Equal content has one id."""
    body, attack = _as_text(draft.as_json()), _as_text(ladder) if ladder else None
    with DATABASE.writing() as db:
        query = "SELECT id FROM snapshots LEFT JOIN ladders USING (id) WHERE snapshots.body = ? "
        known = db.execute(query + "AND ladders.body IS ?", (body, attack)).fetchone()
        if known:
            return str(known["id"])
        identity = secrets.token_hex(6)
        db.execute("INSERT INTO snapshots VALUES (?, ?, ?)", (identity, body, time.time()))
        if attack:
            db.execute("INSERT INTO ladders VALUES (?, ?)", (identity, attack))
        keep_within(db, identity, len(body))
    return identity


def snapshot(identity: str) -> Draft | None:
    return _read("SELECT body FROM snapshots WHERE id = ?", identity)


def keep_ladder(identity: str, ladder: Mapping[str, Any] | None) -> None:
    """Store a draft's attack grid (JSON without the base experiment); None deletes it."""
    if ladder is None:
        DATABASE.change("DELETE FROM ladders WHERE id = ?", identity)
    else:
        DATABASE.change("INSERT OR REPLACE INTO ladders VALUES (?, ?)", identity, _as_text(ladder))


def ladder_of(identity: str) -> dict[str, Any] | None:
    """Attack grid of a draft or snapshot, as JSON; None if none was set."""
    found = DATABASE.rows("SELECT body FROM ladders WHERE id = ?", identity)
    return from_text(found[0]["body"], dict) if found else None


def keep_typed(identity: str, field: str, value: Any) -> None:
    """Store the value of a page's input that is no field of the draft."""
    body = json.dumps(value)
    if len(body) <= LONG:
        DATABASE.change("INSERT OR REPLACE INTO typed VALUES (?, ?, ?)", identity, field, body)


def forget_typed(identity: str) -> None:
    DATABASE.change("DELETE FROM typed WHERE id = ?", identity)


def typed_of(identity: str) -> dict[str, Any]:
    found = DATABASE.rows("SELECT field, body FROM typed WHERE id = ?", identity)
    return {row["field"]: from_text(row["body"], object) for row in found}


def _read(query: str, identity: str) -> Draft | None:
    found = DATABASE.rows(query, identity) if ID.fullmatch(identity) else []
    return _parsed(found[0]["body"]) if found else None


def _parsed(body: str) -> Draft | None:
    try:
        return parse_draft(json.loads(body))
    except (StudioError, ValueError, RecursionError):
        return None


def _as_text(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), sort_keys=True)


def taken(db: sqlite3.Connection) -> int:
    tables = "pragma_page_count, pragma_freelist_count, pragma_page_size"
    query = f"SELECT (page_count - freelist_count) * page_size FROM {tables}"  # noqa: S608
    return int(db.execute(query).fetchone()[0])


def keep_within(db: sqlite3.Connection, identity: str, size: int) -> None:
    """Delete old revisions, then other drafts, until the limit holds; the draft just written stays."""
    if size * REVISIONS > MOST_EACH:
        db.execute(SHORTEN, (identity, LEAST_REVISIONS, MOST_EACH))
    left, gone = taken(db), 0
    if left <= MOST:
        return
    for row in sorted(db.execute(SIZES, (identity,)), key=lambda row: (-int(log2(row["size"])), row["at"])):
        if left <= LEFT * MOST:
            break
        for table, column in KEPT.items():
            db.execute(f"DELETE FROM {table} WHERE {column} = ?", (row["id"],))  # noqa: S608
        gone, left = gone + 1, left - row["size"]
    logging.warning("%d drafts were removed to make room for others", gone)
