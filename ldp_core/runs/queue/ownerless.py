"""Jobs that nobody looks after any more: their worker has died, or has lost sight of them."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection

from ldp_core.runs.queue.table import changing, looking
from ldp_core.runs.storage import presence
from ldp_core.runs.storage.holding import Holder
from ldp_core.system import process_identity

OWNED = "SELECT id, owner_pid, owner_since, space FROM jobs WHERE status IN ('running', 'cancelling')"


def reap(watched: Collection[str] | None = None) -> list[str]:
    """Mark the jobs as interrupted that are `lost`; returns their ids."""
    return [row["id"] for row, why in _lost(watched) if _interrupt(row, why)]


def lost() -> dict[str, str]:
    """The jobs that nobody looks after any more, marked or not, and what has become of each."""
    return {row["id"]: why for row, why in _lost(None)}


def _lost(watched: Collection[str] | None) -> list[tuple[sqlite3.Row, str]]:
    """Jobs of owners that have died; and, if this process says which ones it has `watched` over, all others
    that are noted as its own: nobody would ever write down how they end.
    """
    with looking() as db:
        rows = db.execute(OWNED).fetchall() if db else []
    own = (*process_identity.identity(), process_identity.space()) if rows and watched is not None else None
    found = list[tuple[sqlite3.Row, str]]()
    for row in rows:
        owner = row["owner_pid"], row["owner_since"], row["space"] or process_identity.space()
        if not presence.lives(Holder(*owner)):
            found.append((row, "the worker was stopped from outside"))
        elif owner == own and row["id"] not in (watched or ()):
            found.append((row, "its process could not be started, or was lost sight of"))
    return found


def _interrupt(row: sqlite3.Row, why: str) -> bool:
    """Mark a job without an owner so; False if somebody has taken it up meanwhile."""
    message = f"{why}; what it had trained until then is kept"
    with changing() as db:
        query = (
            "UPDATE jobs SET status = 'interrupted', message = ?, ended = ? WHERE id = ? "
            "AND owner_pid IS ? AND owner_since IS ? AND status IN ('running', 'cancelling')"
        )
        whose = (row["id"], row["owner_pid"], row["owner_since"])
        return db.execute(query, (message, time.time(), *whose)).rowcount == 1
