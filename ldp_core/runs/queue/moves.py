"""A job's status in the queue, how it changes, and what is said of it: cancelled, done, failed."""

from __future__ import annotations

import time

from ldp_core.runs.queue.states import LIVE, MAY_BECOME, Status
from ldp_core.runs.queue.table import changing


def move(identity: str, to: Status, message: str = "", waits_for: str | None = None) -> bool:
    """Move a job that waits or runs to another state; False if it may not (any more). One that has ended is
    taken up by `requeue` alone.

    Args:
        identity: of the job.
        to: the state.
        message: why, where that is not what one would expect.
        waits_for: the job that is to end before this one, which is queued, has a turn again.
    """
    sources = [status for status in LIVE if to in MAY_BECOME[status]]
    marks = ", ".join("?" * len(sources))
    final = to not in LIVE
    with changing() as db:
        # why somebody has stopped it is kept
        said = "CASE WHEN status = 'cancelling' AND ? = 'cancelled' THEN message ELSE ? END"
        done = db.execute(
            f"UPDATE jobs SET status = ?, message = {said}, ended = ? WHERE id = ? AND status IN ({marks})",  # noqa: S608
            (to, to, message, time.time() if final else None, identity, *sources),
        )
        if done.rowcount and to == "queued":
            db.execute("DELETE FROM waits WHERE id = ?", (identity,))
            if waits_for:
                db.execute("INSERT INTO waits VALUES (?, ?)", (identity, waits_for))
        return done.rowcount == 1


def cancel(identity: str, why: str = "") -> None:
    """Ask for a job to stop: one that waits has stopped, of one that runs its worker says when it has."""
    with changing() as db:
        query = "UPDATE jobs SET status = 'cancelled', message = ?, ended = ? WHERE id = ? AND status = ?"
        if not db.execute(query, (why, time.time(), identity, "queued")).rowcount:
            query = "UPDATE jobs SET status = 'cancelling', message = ? WHERE id = ? AND status = 'running'"
            db.execute(query, (why, identity))


def say(identity: str, message: str) -> None:
    """Tell what a running job is doing; "" for what one would expect."""
    with changing() as db:
        query = "UPDATE jobs SET message = ? WHERE id = ? AND status = 'running' AND message != ?"
        db.execute(query, (message, identity, message))


def set_pid(identity: str, pid: int | None) -> None:
    """Note which process trains for a job."""
    with changing() as db:
        db.execute("UPDATE jobs SET pid = ? WHERE id = ?", (pid, identity))
