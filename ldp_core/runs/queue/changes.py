"""Changes to a row of the queue, each in one transaction: status, message, label, deletion."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from ldp_core.errors import InvalidInput, UnknownJob, printable
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.states import LIVE, MAY_BECOME, Status
from ldp_core.runs.queue.table import changing, one

MOST_NAME, MOST_NOTE = 80, 500
"""Largest numbers of characters of a job's name and note."""
MAY_GO = f"deleted IS NULL AND NOT pinned AND status NOT IN {LIVE}"
"""SQL condition for jobs that may be deleted, or whose records may."""


def move(identity: str, to: Status, message: str = "") -> bool:
    """Change the status of a queued or running job; False if the transition is not allowed. Ended jobs are
    resumed by `requeue` only.

    Args:
        message: the reason, for an unexpected end.
    """
    sources = [status for status in LIVE if to in MAY_BECOME[status]]
    marks = ", ".join("?" * len(sources))
    ended = None if to in LIVE else time.time()
    with changing() as db:
        # why it was stopped is kept
        said = "CASE WHEN status = 'cancelling' AND ? = 'cancelled' THEN message ELSE ? END"
        sets = f"status = ?, message = {said}, ended = ?"
        query = f"UPDATE jobs SET {sets} WHERE id = ? AND status IN ({marks})"  # noqa: S608
        return db.execute(query, (to, to, message, ended, identity, *sources)).rowcount == 1


def cancel(identity: str, why: str = "") -> None:
    """Cancel a queued job, or mark a running one `cancelling` until the worker has stopped it."""
    with changing() as db:
        query = "UPDATE jobs SET status = 'cancelled', message = ?, ended = ? WHERE id = ? AND status = ?"
        if not db.execute(query, (why, time.time(), identity, "queued")).rowcount:
            query = "UPDATE jobs SET status = 'cancelling', message = ? WHERE id = ? AND status = 'running'"
            db.execute(query, (why, identity))


def set_pid(identity: str, pid: int | None) -> None:
    with changing() as db:
        db.execute("UPDATE jobs SET pid = ? WHERE id = ?", (pid, identity))


def set_keys(identity: str, keys: Sequence[str]) -> None:
    with changing() as db:
        db.execute("UPDATE jobs SET keys = ? WHERE id = ?", (json.dumps([*keys]), identity))


def note_figures(identity: str, figures: Sequence[dict[str, Any]]) -> None:
    """Store final figures of a job's variants for lists."""
    with changing() as db:
        db.execute("UPDATE jobs SET figures = ? WHERE id = ?", (json.dumps(list(figures)), identity))


def relabel(identity: str, name: str, note: str) -> None:
    """Set a job's name and note, or raise InvalidInput; both empty restores the default."""
    given = {"a name": (name.strip(), MOST_NAME), "a note": (note.strip(), MOST_NOTE)}
    for what, (text, most) in given.items():
        if len(text) > most:
            raise InvalidInput(f"{what} has at most {most} characters; got {len(text)}: shorten it")
        if not printable(text):
            raise InvalidInput(f"{what} holds half a character, which no file takes: type it again")
    with changing() as db:
        values = (*(text for text, _ in given.values()), identity)
        db.execute("UPDATE jobs SET name = ?, note = ? WHERE id = ?", values)


def set_pinned(identity: str, on: bool) -> Job:
    """Pin or unpin a job; returns the job afterwards. A job whose record was deleted stays unpinned."""
    with changing() as db:
        query = "UPDATE jobs SET pinned = ? WHERE id = ? AND removed IS NULL"
        db.execute(query, (int(on), identity))
        return one(db, identity)


def delete(identity: str, at: float | None = None) -> bool:
    """Mark a job as deleted at a time in seconds since 1970 (default now); False if it waits, runs, is pinned
    or is missing.
    """
    with changing() as db:
        query = f"UPDATE jobs SET deleted = ? WHERE id = ? AND {MAY_GO}"  # noqa: S608
        return db.execute(query, (time.time() if at is None else at, identity)).rowcount == 1


def forget(identity: str) -> bool:
    """Delete the row of a job that is marked as deleted; False if it is not."""
    with changing() as db:
        query = "DELETE FROM jobs WHERE id = ? AND deleted IS NOT NULL"
        return db.execute(query, (identity,)).rowcount == 1


def bring_back(identity: str, since: float) -> Job:
    """Restore a job that was deleted after `since`, in seconds since 1970; UnknownJob if there is none."""
    with changing() as db:
        query = "UPDATE jobs SET deleted = NULL WHERE id = ? AND deleted >= ?"
        if not db.execute(query, (identity, since)).rowcount:
            raise UnknownJob(identity)
        return one(db, identity)


def note_removed(identity: str) -> bool:
    """Note that a job's stored events were deleted by the quota; False if the job waits, runs or is
    pinned.
    """
    with changing() as db:
        query = f"UPDATE jobs SET removed = ?, keys = '[]' WHERE id = ? AND removed IS NULL AND {MAY_GO}"  # noqa: S608
        return db.execute(query, (time.time(), identity)).rowcount == 1
