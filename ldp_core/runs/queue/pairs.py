"""Jobs that wait for another one's results: it does at this moment what they ask for, to the letter.

Whoever waits has no turn. When the other one has ended, what it has found may be all that is needed: then the
job is completed without a slot, and otherwise released, to have its turn like any other.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection

from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.states import LIVE
from ldp_core.runs.queue.table import changing, looking, selected

SAME = """
SELECT waiting.id AS id, other.id AS other FROM jobs AS other JOIN jobs AS waiting
ON waiting.kind = other.kind AND waiting.request = other.request
WHERE other.status = 'running' AND waiting.status = 'queued' AND waiting.waits_for IS NULL
AND waiting.long IS other.long AND waiting.kind IN (SELECT value FROM json_each(?))
"""


def pair(shared: Collection[str]) -> None:
    """Have the jobs of these kinds wait whose results somebody is at."""
    with looking() as db:
        if db is None or not _pairs(db, shared):
            return
    with changing() as db:
        _wait(db, _pairs(db, shared))


def must_wait(db: sqlite3.Connection, job: Job, shared: Collection[str]) -> bool:
    """True, and noted, if somebody is at what this queued job asks for."""
    found = [pair for pair in _pairs(db, shared) if pair[0] == job.id] if job.kind in shared else []
    _wait(db, found)
    return bool(found)


def _wait(db: sqlite3.Connection, found: Collection[tuple[str, str]]) -> None:
    db.executemany(
        "UPDATE jobs SET waits_for = ? WHERE id = ?", [(other, waiting) for waiting, other in found]
    )


def _pairs(db: sqlite3.Connection, shared: Collection[str]) -> list[tuple[str, str]]:
    return [(row["id"], row["other"]) for row in db.execute(SAME, (json.dumps([*shared]),))]


def released() -> list[Job]:
    """The queued jobs that wait for one which has ended."""
    with looking() as db:
        if db is None:
            return []
        over = f"waits_for NOT IN (SELECT id FROM jobs WHERE status IN {LIVE})"  # noqa: S608
        return list(selected(db, f"status = 'queued' AND {over} ORDER BY place"))
