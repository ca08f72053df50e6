"""Drafts, the experiments that people edit, with revisions for undo; and snapshots, which they share."""

import json
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Mapping
from typing import Any

from ldp_core.errors import StudioError, UnknownDraft
from ldp_core.experiment import Draft, parse_draft
from ldp_core.runs.storage import inventory
from ldp_core.runs.storage.database import Database
from ldp_core.runs.storage.inventory import StoredItem
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
MOST_EACH = 4 * 10**6
"""Largest number of bytes of one draft's revisions; large drafts keep fewer."""
LEAST_REVISIONS, REVISIONS = 2, 50
"""Least and largest number of stored revisions of a draft."""
KEPT = {"revisions": "draft", "snapshots": "id", "ladders": "id", "typed": "id"}
"""Tables, each with its column of ids."""
SIZES = """
SELECT id, max(link) AS link, sum(length(body)) AS size, max(at) AS at FROM (
    SELECT draft AS id, 0 AS link, body, at FROM revisions UNION ALL
    SELECT id, 1, body, at FROM snapshots UNION ALL
    SELECT id, 0, body, 0 FROM ladders UNION ALL SELECT id, 0, body, 0 FROM typed
) GROUP BY id
"""
SHORTEN = """
DELETE FROM revisions WHERE draft = ?1 AND number IN (SELECT number FROM (
    SELECT number, row_number() OVER newest AS place, sum(length(body)) OVER newest AS size
    FROM revisions WHERE draft = ?1 WINDOW newest AS (ORDER BY number DESC)
) WHERE place > ?2 AND size > ?3)
"""


def new(draft: Draft, owner: str | None = None, address: str | None = None) -> str:
    identity, body = secrets.token_hex(6), _as_text(draft.as_json())
    inventory.enter(StoredItem("draft", identity, _bytes(1, body), time.time(), None, owner, address))
    with DATABASE.writing() as db:
        _add(db, identity, 1, body)
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
        if after == before:
            return after
        number, body = last["number"], _as_text(after.as_json())
        _add(db, identity, number + 1, body)
    if (size := _bytes(number + 1, body)) > _bytes(number, last["body"]):
        inventory.enter(StoredItem("draft", identity, size, time.time()))
    return after


def _add(db: sqlite3.Connection, identity: str, number: int, body: str) -> None:
    db.execute("INSERT INTO revisions VALUES (?, ?, ?, ?)", (identity, number, body, time.time()))
    db.execute("DELETE FROM revisions WHERE draft = ? AND number <= ?", (identity, number - REVISIONS))
    if len(body) * REVISIONS > MOST_EACH:
        db.execute(SHORTEN, (identity, LEAST_REVISIONS, MOST_EACH))


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


def share(
    draft: Draft,
    ladder: Mapping[str, Any] | None = None,
    owner: str | None = None,
    address: str | None = None,
) -> str:
    """Store a snapshot of a draft and its attack grid; returns its id. Equal content has one id."""
    body, attack = _as_text(draft.as_json()), _as_text(ladder) if ladder else None
    identity = secrets.token_hex(6)
    query = "SELECT id FROM snapshots LEFT JOIN ladders USING (id) WHERE snapshots.body = ? "
    query += "AND ladders.body IS ?"
    if known := DATABASE.rows(query, body, attack):
        return str(known[0]["id"])
    size = len(body) + len(attack or "")
    inventory.enter(StoredItem("link", identity, size, time.time(), None, owner, address))
    with DATABASE.writing() as db:
        if known := db.execute(query, (body, attack)).fetchall():  # by another of this moment
            return str(known[0]["id"])
        db.execute("INSERT INTO snapshots VALUES (?, ?, ?)", (identity, body, time.time()))
        if attack:
            db.execute("INSERT INTO ladders VALUES (?, ?)", (identity, attack))
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


def lying() -> list[StoredItem]:
    """Drafts and links as the inventory has them."""
    rows = DATABASE.rows(SIZES)
    return [StoredItem("link" if row["link"] else "draft", row["id"], row["size"], row["at"]) for row in rows]


def erase(identity: str) -> None:
    with DATABASE.writing() as db:
        for table, column in KEPT.items():
            db.execute(f"DELETE FROM {table} WHERE {column} = ?", (identity,))  # noqa: S608


def _bytes(number: int, body: str) -> int:
    """Bytes that a draft with so many revisions is entered with: a power of two, so that few of its changes
    change the entry.
    """
    return min(1 << (min(number, REVISIONS) * len(body)).bit_length(), max(MOST_EACH, 2 * len(body)))
