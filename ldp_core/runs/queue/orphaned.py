"""Orphaned jobs: those at work whose worker has died, or has lost sight of them."""

import json
import time
from collections.abc import Collection

from ldp_core.runs.queue.claiming import AT_WORK
from ldp_core.runs.queue.job import STUDIO
from ldp_core.runs.queue.table import changing
from ldp_core.runs.storage.locks_and_heartbeats import WORKER, is_held
from ldp_core.runs.storage.paths import runs_dir

STOPPED = "the worker was stopped from outside"
LOST = "its process could not be started, or was lost sight of"
OTHERS = f"{AT_WORK} AND id NOT IN (SELECT value FROM json_each(?))"  # noqa: S608


def reap(watched: Collection[str] | None = None, why: str = STOPPED) -> list[str]:
    """Mark orphaned jobs as interrupted; returns their ids. The worker names those that it has `watched`."""
    if not lost(watched):
        return []
    message = f"{why}; what it had trained until then is kept"
    with changing() as db:
        if _is_looked_after(watched):  # by a worker that came since: now no other can take a job
            return []
        query = f"UPDATE jobs SET status = 'interrupted', message = ?, ended = ? WHERE {OTHERS} RETURNING id"  # noqa: S608
        found = db.execute(query, (message, time.time(), json.dumps([*(watched or ())]))).fetchall()
    return [row["id"] for row in found]


def lost(watched: Collection[str] | None = None) -> list[str]:
    """Ids of orphaned jobs, whether marked or not; `watched` as for `reap`."""
    rows = STUDIO.rows(f"SELECT id FROM jobs WHERE {OTHERS}", json.dumps([*(watched or ())]))  # noqa: S608
    return [] if not rows or _is_looked_after(watched) else [row["id"] for row in rows]


def _is_looked_after(watched: Collection[str] | None) -> bool:
    return watched is None and is_held(runs_dir() / WORKER)
