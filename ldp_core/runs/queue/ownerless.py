"""Orphaned jobs: there is no worker, or it has lost sight of them.

Only the one worker takes a job from the queue, and it holds its lock meanwhile: where that lock is free, no
job has a process.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection

from ldp_core.runs.queue.table import changing, looking
from ldp_core.runs.storage.locks import WORKER, is_held
from ldp_core.runs.storage.paths import runs_dir

STOPPED = "the worker was stopped from outside"
LOST = "its process could not be started, or was lost sight of"
AT_WORK = "status IN ('running', 'cancelling') AND id NOT IN (SELECT value FROM json_each(?))"


def reap(watched: Collection[str] | None = None, why: str = STOPPED) -> list[str]:
    """Mark orphaned jobs as interrupted; returns their ids.

    Args:
        watched: what the worker looks after, where that asks.
        why: what has become of the others.
    """
    if not _lost(watched):
        return []
    message = f"{why}; what it had trained until then is kept"
    with changing() as db:
        if _is_looked_after(watched):  # by a worker that came since: now no other can take a job
            return []
        query = f"UPDATE jobs SET status = 'interrupted', message = ?, ended = ? WHERE {AT_WORK} RETURNING id"  # noqa: S608
        found = db.execute(query, (message, time.time(), json.dumps([*(watched or ())]))).fetchall()
    return [row["id"] for row in found]


def lost() -> dict[str, str]:
    """The orphaned jobs, marked or not, and what has become of them."""
    return dict.fromkeys(_lost(None), STOPPED)


def _lost(watched: Collection[str] | None) -> list[str]:
    with looking() as db:
        query = f"SELECT id FROM jobs WHERE {AT_WORK}"  # noqa: S608
        rows = db.execute(query, (json.dumps([*(watched or ())]),)).fetchall() if db else []
    return [] if not rows or _is_looked_after(watched) else [row["id"] for row in rows]


def _is_looked_after(watched: Collection[str] | None) -> bool:
    return watched is None and is_held(runs_dir() / WORKER)
