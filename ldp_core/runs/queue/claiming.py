"""Who takes the next job, that no two do, and whose it is: addresses take turns, people behind one too.

Who takes a new cookie is a new person; a new address is harder to come by. A class behind one address has
the turns of one, where others than it use the server.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from ldp_core.runs.machine import slots
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.table import changing, find, looking, selected


def running() -> list[Job]:
    """The jobs that have a process, newest first."""
    return find("status IN ('running', 'cancelling')", most=1000)


def ahead_of(job: Job) -> int:
    """Number of jobs that run before a queued one, running ones included."""
    before = sum(other.id != job.id for other in running())  # it may have begun since it was looked up
    order = [waiting.id for waiting in in_turn()]
    return before + (order.index(job.id) if job.id in order else 0)


def in_turn(newcomer: Job | None = None) -> list[Job]:
    """The queued jobs, and one that might come, in the order of their turns, as if all took equally long.

    Addresses take turns: the one with the fewest running is next, so that none has two while one that
    waits has none; among those, the one that has waited longest since a job from there began. So do the
    people of an address; and of one person's jobs the oldest is first.
    """
    with looking() as db:
        if db is None:
            return []
        queued = list(selected(db, "status = 'queued' ORDER BY place"))
        queued += [newcomer] if newcomer else []
        latest = _last_turns(db)
        began = "status IN ('running', 'cancelling') ORDER BY started"
        running = [(job.place_of, job.owner) for job in selected(db, began)] if queued else []
    order: list[Job] = []
    turn, most = max([*latest.places.values(), *latest.people.values()], default=0.0), slots.at_work()

    while queued:
        if len(running) >= most:
            running.pop(0)
        there, theirs = Counter(place for place, _ in running), Counter(owner for _, owner in running)
        job = min(
            queued,
            key=lambda job: (
                there[job.place_of],
                latest.places.get(job.place_of, 0.0),
                theirs[job.owner],
                latest.people.get(job.owner, 0.0),
                job.place,
            ),
        )
        queued.remove(job)
        order.append(job)
        running.append((job.place_of, job.owner))
        turn += 1.0
        latest.places[job.place_of] = latest.people[job.owner] = turn
    return order


class Latest(NamedTuple):
    """Latest start of a job, in seconds since 1970, by address (`Job.place_of`) and by person."""

    places: dict[str | None, float]
    people: dict[str | None, float]


def _last_turns(db: sqlite3.Connection) -> Latest:
    """Latest starts; one in the future (a clock was set back) is ignored."""
    found = Latest({}, {})
    query = (
        "SELECT owner, coalesce(address, owner) AS place, MAX(started) AS at FROM jobs "
        "WHERE started <= ? GROUP BY owner, place"
    )
    for row in db.execute(query, (time.time(),)):
        for known, name in ((found.places, row["place"]), (found.people, row["owner"])):
            known[name] = max(row["at"], known.get(name, 0.0))
    return found


def claim(most: int | None = None, ready: Callable[[Job], bool] = lambda job: True) -> Job | None:
    """Take the job whose turn it is; None if there is none, or if `most` run already. Only the worker may.

    Args:
        most: jobs that may run at a time.
        ready: False for a job that cannot begin now, which keeps its turn.
    """
    for job in in_turn():
        if not ready(job):
            continue
        with changing() as db:
            query = "SELECT COUNT(*) AS count FROM jobs WHERE status IN ('running', 'cancelling')"
            if most is not None and db.execute(query).fetchone()["count"] >= most:
                return None
            done = db.execute(
                "UPDATE jobs SET status = 'running', started = ? WHERE id = ? AND status = 'queued'",
                (time.time(), job.id),
            )
            if done.rowcount == 1:  # otherwise another worker was quicker
                return next(selected(db, "id = ?", (job.id,)))
    return None
