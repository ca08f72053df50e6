"""Changes to a row of the queue, each in one transaction."""

import json
import time
from typing import Any

from ldp_core.runs.queue.job import LIVE, MAY_BECOME, STUDIO, Status

MAY_GO = f"deleted IS NULL AND NOT pinned AND status NOT IN {LIVE}"
"""SQL condition for jobs that may be deleted, or whose records may."""


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
    return STUDIO.change("DELETE FROM jobs WHERE id = ? AND deleted IS NOT NULL", identity) == 1
