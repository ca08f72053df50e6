"""Changes to the queue, each in one transaction: jobs added within limits on how many wait, or changed."""

import json
import secrets
import sqlite3
import time
from collections.abc import Sequence
from typing import Any

from ldp_core.errors import NotNow, QueueFull
from ldp_core.runs.queue.job import LIVE, MAY_BECOME, RESUMABLE, STUDIO, Status
from ldp_core.runs.queue.table import changing, parted
from ldp_core.runs.storage import inventory
from ldp_core.runs.storage.inventory import StoredItem

WAITING_EACH, WAITING_ADDRESS, WAITING = 5, 100, 200
"""Largest numbers of waiting jobs: of one person, of one address, which a class may share, and in all."""
MAY_GO = f"deleted IS NULL AND NOT pinned AND status NOT IN {LIVE}"
"""SQL condition for jobs that may be deleted, or whose records may."""


def add(
    kind: str,
    request: dict[str, Any],
    draft: str | None = None,
    owner: str | None = None,
    address: str | None = None,
    *,
    identity: str = "",
    keys: Sequence[str] = (),
    room: str = "",
) -> str:
    """Append a job; returns its id, twelve hex digits, or that of a job of the same draft and kind that waits
    or runs. QueueFull if this owner, this address, or all together have enough jobs waiting.
    """
    (text, long), new, now, added = parted(request), identity or new_id(), time.time(), ""
    named = "id, kind, status, request, long, draft, owner, address, room, keys, created"
    row = (new, kind, "queued", text, long, draft, owner, address, room, json.dumps([*keys]), now)
    size = len(text) + len(long or "")
    inventory.enter(StoredItem("job", new, size, now, None, owner, address))
    try:
        with changing() as db:
            if not (added := _live(db, draft, kind) or ""):
                _refuse_crowds(db, owner, address)
                db.execute(f"INSERT INTO jobs ({named}) VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608
                added = new
    finally:
        if added != new:
            inventory.release("job", new)
    return added


def new_id() -> str:
    return secrets.token_hex(6)


def requeue(identity: str, address: str | None = None, keys: Sequence[str] = ()) -> bool:
    """Put a stopped job at the end of the queue, with the address and keys of today if given; False if its
    status does not allow that. QueueFull as for `add`; NotNow if another job of the same draft waits or runs.
    """
    with changing() as db:
        may = f"id = ? AND deleted IS NULL AND status IN {RESUMABLE}"
        query = f"SELECT owner, draft, kind, address FROM jobs WHERE {may}"  # noqa: S608
        row = db.execute(query, (identity,)).fetchone()
        if row is None:
            return False
        if other := _live(db, row["draft"], row["kind"]):
            raise NotNow(f"job {other} of the same draft waits or runs; stop it first, or wait for its end")
        _refuse_crowds(db, row["owner"], address or row["address"])
        sets = (
            "status = 'queued', message = '', ended = NULL, pid = NULL, removed = NULL, place = "
            "(SELECT max(place) FROM jobs) + 1, address = coalesce(?, address), keys = coalesce(?, keys)"
        )
        values = (address, json.dumps([*keys]) if keys else None, identity)
        db.execute(f"UPDATE jobs SET {sets} WHERE id = ?", values)  # noqa: S608
        return True


def _live(db: sqlite3.Connection, draft: str | None, kind: str) -> str | None:
    query = f"SELECT id FROM jobs WHERE draft = ? AND kind = ? AND status IN {LIVE}"  # noqa: S608
    row = db.execute(query, (draft, kind)).fetchone()
    return str(row["id"]) if row else None


def _refuse_crowds(db: sqlite3.Connection, owner: str | None, address: str | None) -> None:
    query = "SELECT total(owner = ?), total(address = ?), count(*) FROM jobs WHERE status = 'queued'"
    mine, near, every = map(int, db.execute(query, (owner, address)).fetchone())
    if mine >= WAITING_EACH:
        raise QueueFull(f"you have {mine} jobs waiting already, as many as one person may; stop one, or wait")
    if near >= WAITING_ADDRESS:
        near_by = f"{near} jobs from your network are waiting already"
        raise QueueFull(f"{near_by}, as many as one may have; try again later")
    if every >= WAITING:
        raise QueueFull(f"{every} jobs are waiting on this server already; try again later")


def update(identity: str, where: str = "1", **columns: Any) -> bool:
    """Set columns of a job, lists as JSON; False if none fulfils the SQL condition (never user input)."""
    sets = ", ".join(f"{name} = ?" for name in columns)
    values = [json.dumps(value) if isinstance(value, list) else value for value in columns.values()]
    query = f"UPDATE jobs SET {sets} WHERE id = ? AND {where}"  # noqa: S608
    return STUDIO.change(query, *values, identity) == 1


def move(identity: str, to: Status, message: str = "") -> bool:
    """Change the status of a queued or running job; False if the transition is not allowed. Ended jobs are
    resumed by `requeue` only. A cancelled job keeps the reason that it was cancelled for.
    """
    sources = ", ".join(repr(status) for status in LIVE if to in MAY_BECOME[status])
    said = {} if to == "cancelled" else {"message": message}
    ended = None if to in LIVE else time.time()
    return update(identity, f"status IN ({sources})", status=to, ended=ended, **said)


def cancel(identity: str, why: str = "") -> None:
    """Cancel a queued job, or mark a running one `cancelling` until the worker has stopped it."""
    query = (
        "UPDATE jobs SET message = ?, ended = iif(status = 'queued', ?, NULL), status = iif(status = "
        "'queued', 'cancelled', 'cancelling') WHERE id = ? AND status IN ('queued', 'running')"
    )
    STUDIO.change(query, why, time.time(), identity)


def delete(identity: str, at: float | None = None) -> bool:
    """Mark a job as deleted (default now, in seconds since 1970); False if it waits, runs or is pinned."""
    return update(identity, MAY_GO, deleted=time.time() if at is None else at)


def note_removed(identity: str) -> bool:
    """Note that the quota has deleted a job's stored events; False as for `delete`."""
    return update(identity, f"removed IS NULL AND {MAY_GO}", removed=time.time(), keys=[])


def forget(identity: str) -> bool:
    done = STUDIO.change("DELETE FROM jobs WHERE id = ? AND deleted IS NOT NULL", identity) == 1
    if done:
        inventory.release("job", identity)
    return done


def lying() -> list[StoredItem]:
    """Rows of jobs as the inventory has them."""
    size = "length(request) + coalesce(length(long), 0)"
    rows = STUDIO.rows(f"SELECT id, {size}, created, owner, address FROM jobs")  # noqa: S608
    return [StoredItem("job", row[0], row[1], row[2], None, *row[3:]) for row in rows]
