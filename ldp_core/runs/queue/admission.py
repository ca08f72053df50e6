"""Admission of jobs, new or resumed, to the queue, and limits on how many wait."""

import json
import secrets
import sqlite3
import time
from collections.abc import Sequence
from typing import Any

from ldp_core.errors import NotNow, QueueFull
from ldp_core.runs.queue.job import LIVE, RESUMABLE
from ldp_core.runs.queue.table import changing, parted

WAITING_EACH, WAITING_ADDRESS, WAITING = 5, 100, 200
"""Largest numbers of waiting jobs: of one person, of one address, which a class may share, and in all."""


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
    with changing() as db:
        if live := _live(db, draft, kind):
            return live
        _refuse_crowds(db, owner, address)
        text, long = parted(request)
        row: dict[str, Any] = {
            "id": identity or new_id(),
            "kind": kind,
            "status": "queued",
            "request": text,
            "long": long,
        }
        row |= {"draft": draft, "owner": owner, "address": address, "room": room}
        row |= {"keys": json.dumps([*keys]), "created": time.time()}
        values = ", ".join(f":{name}" for name in row)
        db.execute(f"INSERT INTO jobs ({', '.join(row)}) VALUES ({values})", row)  # noqa: S608
        return str(row["id"])


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
