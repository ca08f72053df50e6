"""Order of the queue, and the claim of a job by the worker. Addresses take turns, and so do the owners behind
one address.

Turns go by address because a new cookie makes a new owner, while a new address is harder to get; a class
behind one address counts as one. Only the worker claims jobs.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import partial

from ldp_core.runs.machine import slots
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.table import changing, find, looking, selected
from ldp_core.runs.storage.locks import WORKER, is_held
from ldp_core.runs.storage.paths import runs_dir

STOPPED = "the worker was stopped from outside"
LOST = "its process could not be started, or was lost sight of"
AT_WORK = "status IN ('running', 'cancelling')"
OTHERS = f"{AT_WORK} AND id NOT IN (SELECT value FROM json_each(?))"  # noqa: S608

Taker = tuple[str, str | None]
"""One that takes turns: an address (`Job.place_of`), or an owner."""


def running() -> list[Job]:
    """Jobs that have a process, newest first."""
    return find(AT_WORK, most=1000)


def ahead_of(job: Job) -> int:
    """Number of jobs that run before a queued one, running ones included."""
    before = sum(other.id != job.id for other in running())  # it may have begun since it was looked up
    order = [waiting.id for waiting in in_turn()]
    return before + (order.index(job.id) if job.id in order else 0)


def in_turn(newcomer: Job | None = None) -> list[Job]:
    """Queued jobs, and possibly a newcomer, in the order of their turns, as if all took equally long.

    The address with the fewest running jobs is next; among those, the one whose latest job began longest ago.
    The same rule orders the owners of an address; an owner's own jobs are ordered by age.
    """
    with looking() as db:
        if db is None:
            return []
        queued = list(selected(db, "status = 'queued' ORDER BY place"))
        queued += [newcomer] if newcomer else []
        latest = _last_turns(db)
        running = [*selected(db, f"{AT_WORK} ORDER BY started")] if queued else []
    order: list[Job] = []
    turn, most = max(latest.values(), default=0.0), slots.at_work()

    while queued:
        if len(running) >= most:
            running.pop(0)
        busy = Counter(who for job in running for who in _takers(job.place_of, job.owner))
        job = min(queued, key=partial(_rank, busy, latest))
        queued.remove(job)
        order.append(job)
        running.append(job)
        turn += 1.0
        latest |= dict.fromkeys(_takers(job.place_of, job.owner), turn)
    return order


def _rank(busy: Counter[Taker], latest: Mapping[Taker, float], job: Job) -> list[float]:
    takers = _takers(job.place_of, job.owner)
    return [*(order for who in takers for order in (busy[who], latest.get(who, 0.0))), job.place]


def _takers(place: str | None, owner: str | None) -> tuple[Taker, Taker]:
    return ("address", place), ("owner", owner)


def _last_turns(db: sqlite3.Connection) -> dict[Taker, float]:
    """Latest starts of a job by taker, in seconds since 1970; those in the future (a clock was set back) are
    ignored.
    """
    found = dict[Taker, float]()
    query = (
        "SELECT owner, coalesce(address, owner) AS place, MAX(started) AS at FROM jobs "
        "WHERE started <= ? GROUP BY owner, place"
    )
    for row in db.execute(query, (time.time(),)):
        for who in _takers(row["place"], row["owner"]):
            found[who] = max(row["at"], found.get(who, 0.0))
    return found


def claim(most: int | None = None, ready: Callable[[Job], bool] = lambda job: True) -> Job | None:
    """Take the next job; None if there is none, or if `most` are running. For the worker only.

    Args:
        most: limit on running jobs.
        ready: returns False for a job that cannot begin now, which keeps its place.
    """
    for job in in_turn():
        if not ready(job):
            continue
        with changing() as db:
            query = f"SELECT COUNT(*) AS count FROM jobs WHERE {AT_WORK}"  # noqa: S608
            if most is not None and db.execute(query).fetchone()["count"] >= most:
                return None
            done = db.execute(
                "UPDATE jobs SET status = 'running', started = ? WHERE id = ? AND status = 'queued'",
                (time.time(), job.id),
            )
            if done.rowcount == 1:  # otherwise another worker was quicker
                return next(selected(db, "id = ?", (job.id,)))
    return None


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
