"""Order of the queue, the claim of a job by the worker, and jobs whose worker has died or lost sight of them.

First come jobs that have never begun, of owners for whom none runs just now. Among equals addresses take
turns, and so do the owners behind one: a new cookie makes a new owner, while a new address is harder to get.
New jobs of an address go by their launch, a person's own by the shortest remaining work. Now and then a job
that was put aside long ago comes before all, so that no stream of short ones starves it.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

from ldp_core.runs.machine import slots
from ldp_core.runs.queue.job import ASIDE, STUDIO, Job
from ldp_core.runs.queue.table import changing, find, looking, selected
from ldp_core.runs.storage.locks_and_heartbeats import WORKER, is_held
from ldp_core.runs.storage.paths import runs_dir

AT_WORK = "status IN ('running', 'cancelling')"
STARVED_SECONDS = 60.0
"""Time since the last start of a job that was put aside, from which on it comes first."""
RESCUE_SECONDS = 15.0
"""Least time between two jobs that come first for that: many would keep out who has seen nothing yet."""
_rescued_at: dict[Path, float] = {}
"""Time of the latest of them, by folder of runs."""
NEW = 1
"""Rank of jobs that have never begun; what is rescued has a lower one, what was put aside a higher one."""
COMPARED = 4
"""A person's oldest jobs, of which the shortest is next: an estimate takes the worker up to 40 ms."""
LATEST = """
SELECT 'address' AS what, coalesce(address, owner) AS who, MAX(started) AS at
FROM jobs WHERE started <= :now GROUP BY who
UNION ALL SELECT 'owner', owner, MAX(started) FROM jobs WHERE started <= :now GROUP BY owner
UNION ALL SELECT 'launched', owner, MAX(created) FROM jobs WHERE started <= :now GROUP BY owner
"""
"""Latest start of a job by taker, and latest launch of a begun one by owner; those in the future (a clock was
set back) are ignored.
"""
APART_SECONDS = 20.0
"""Time by which a person's next new job counts as launched later than the one before, at least."""
STOPPED = "the worker was stopped from outside"
LOST = "its process could not be started, or was lost sight of"
OTHERS = f"{AT_WORK} AND id NOT IN (SELECT value FROM json_each(?))"  # noqa: S608


def places() -> dict[str, int]:
    """Number of jobs before each queued one, those with a process included, by id."""
    running = len(find(AT_WORK, most=1000, requests=False))
    return {job.id: number for number, job in enumerate(in_turn(), running)}


def in_turn(newcomer: Job | None = None, left: Callable[[Job], float] = lambda job: 0.0) -> Iterator[Job]:
    """Queued jobs, and possibly a newcomer, which may be a running one that makes room, in the order of their
    turns, as if all took equally long. The address with the fewest running jobs is next; among those, the one
    whose latest job began longest ago. The same rule orders the owners of an address, but new jobs are
    ordered by their launch; an owner's own jobs by the seconds `left`, then by age. No more is computed of
    the order than is asked for.
    """
    with looking() as db:
        if db is None:
            return
        queued = list(selected(db, "status = 'queued' ORDER BY place"))
        queued += [newcomer] if newcomer else []
        latest = {(row["what"], row["who"]): row["at"] for row in db.execute(LATEST, {"now": time.time()})}
        every = selected(db, f"{AT_WORK} ORDER BY started") if queued else ()
        running = [job for job in every if newcomer is None or job.id != newcomer.id]
    turn, most, now = max(latest.values(), default=0.0), slots.at_work(), time.time()
    served = {job.owner for job in running}
    may = abs(now - _rescued_at.get(runs_dir(), 0.0)) > RESCUE_SECONDS
    starving = [job for job in queued if may and starves(job, now)]
    rescued = min(starving, key=lambda job: job.started or now, default=None)

    def group(job: Job) -> tuple[Any, ...]:
        return (0,) if job is rescued else (NEW if is_new(job, served) else NEW + 1, *job.takers)

    alike = dict[tuple[Any, ...], list[Job]]()  # of one rank now and later
    for job in sorted(queued, key=lambda job: job.place):
        alike.setdefault(group(job), []).append(job)

    def rank(these: tuple[Any, ...]) -> tuple[float, ...]:
        order = [n for who in these[1:] for n in (busy[who], latest.get(who, 0.0))]
        if these[0] == NEW:
            before = latest.get(("launched", these[-1][1]), -inf)
            order[-1] = max(alike[these][0].created, before + APART_SECONDS)
        return these[0], *order, alike[these][0].place

    while alike:
        if len(running) >= most:
            running.pop(0)
        busy = Counter(who for job in running for who in job.takers)
        first = min(alike, key=rank)
        own = alike[first][:COMPARED]
        job = own[0] if len(own) == 1 else min(own, key=left)
        yield job
        alike[first].remove(job)
        if not alike[first]:
            del alike[first]
        running.append(job)
        turn += 1.0
        latest |= dict.fromkeys(job.takers, turn)
        if job.started is None:
            latest["launched", job.owner] = max(job.created, latest.get(("launched", job.owner), 0.0))


def is_new(job: Job, served: Collection[str | None]) -> bool:
    """True for a job that has never begun, of an owner who is not `served` just now."""
    return job.started is None and job.owner not in served


def starves(job: Job, now: float) -> bool:
    """True for a job that was put aside, and has not been taken up for long."""
    return job.message == ASIDE and now - (job.started or now) > STARVED_SECONDS


def claim(
    most: int | None = None,
    ready: Callable[[Job], bool] = lambda job: True,
    left: Callable[[Job], float] = lambda job: 0.0,
) -> Job | None:
    """Take the next job that is `ready` to begin, with its message until then; None if there is none, or if
    `most` are running. `left` as for `in_turn`.
    """
    for job in filter(ready, in_turn(left=left)):
        with changing() as db:
            query = f"SELECT COUNT(*) AS count FROM jobs WHERE {AT_WORK}"  # noqa: S608
            if most is not None and db.execute(query).fetchone()["count"] >= most:
                return None
            sets = "status = 'running', started = ?, message = ''"
            begin = f"UPDATE jobs SET {sets} WHERE id = ? AND status = 'queued'"  # noqa: S608
            now = time.time()
            if db.execute(begin, (now, job.id)).rowcount == 1:  # otherwise another worker was quicker
                if starves(job, now):
                    _rescued_at[runs_dir()] = now
                return replace(job, status="running", started=now)
    return None


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
