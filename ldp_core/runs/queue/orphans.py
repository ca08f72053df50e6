"""Orphaned jobs: running ones whose worker is gone.

The worker holds a file lock for life, which the kernel frees when it dies: no heartbeat, no lease to renew.
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
AT_WORK = "status IN ('running', 'cancelling')"
OTHERS = f"{AT_WORK} AND id NOT IN (SELECT value FROM json_each(?))"  # noqa: S608


def reap(watched: Collection[str] | None = None, why: str = STOPPED) -> list[str]:
    """Mark orphaned jobs as interrupted; returns their ids.

    Args:
        watched: ids of the jobs whose processes the calling worker monitors; None for other callers.
        why: beginning of the message of the orphaned jobs.
    """
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
    with looking() as db:
        query = f"SELECT id FROM jobs WHERE {OTHERS}"  # noqa: S608
        rows = db.execute(query, (json.dumps([*(watched or ())]),)).fetchall() if db else []
    return [] if not rows or _is_looked_after(watched) else [row["id"] for row in rows]


def _is_looked_after(watched: Collection[str] | None) -> bool:
    return watched is None and is_held(runs_dir() / WORKER)
