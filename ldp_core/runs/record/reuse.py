"""What this server has trained already is taken over into another job's record, and not trained again."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping

from ldp_core.errors import StorageFailed, StudioError
from ldp_core.experiment import Run, parse_draft
from ldp_core.runs import queue
from ldp_core.runs.record import run_cache
from ldp_core.runs.record.store import Recorder
from ldp_core.runs.storage import disk_space
from ldp_core.runs.storage.holding import WRITER, hold

TRIES = 3


def take_over(left: Mapping[int, Run], recorder: Recorder) -> dict[int, Run]:
    """Take over what has been finished already, by another job or in this one; returns what has not.

    Of a run that was begun here only the rest is taken over, if what is recorded is how it began.
    """
    unknown = {}
    for number, run in left.items():
        known = run_cache.find(run_cache.name_of(run.experiment))
        told = recorder.told(number) if known else []
        if known and told == [event.body for event in known[1][: len(told)]]:
            recorder.copy(number, known[1][len(told) :], known[0])
        else:
            unknown[number] = run
    return unknown


def complete(identity: str) -> bool:
    """Complete a queued job here and now if all of its runs have been trained before: it needs no slot, and
    waits for nobody. False if it waits for its turn like any other.
    """
    request = queue.get(identity).request
    runs = parse_draft(request["draft"]).runs(bool(request.get("reference")))
    names = {run_cache.name_of(run.experiment) for run in runs}
    if not run_cache.has(names) or (job := queue.take(identity)) is None:
        return False
    whole = False
    try:
        job.folder.mkdir(parents=True, exist_ok=True)
        with hold(job.folder / WRITER):
            recorder = Recorder(job.folder, runs)
            try:
                pure = recorder.begun_by(run_cache.program())
                whole = pure and not take_over(dict(enumerate(runs)), recorder)
            finally:
                recorder.close()
    except (StudioError, OSError, sqlite3.Error) as error:  # then a worker finds out what is wrong
        logging.warning("job %s: what is stored could not be taken over: %s", identity, error)
    finally:
        done = _let_go(identity, whole)
    return done


def _let_go(identity: str, whole: bool) -> bool:
    """Note what has become of a job that this process took; True if it is complete.

    As long as this process lives nobody else would: so it is tried again where the queue is locked or full.
    """
    for tries_left in reversed(range(TRIES)):
        try:
            if whole and queue.move(identity, "completed"):
                return True
            if not queue.move(identity, "queued"):
                queue.move(identity, "cancelled")
            break
        except StorageFailed:
            disk_space.give_up()
            if not tries_left:
                raise
    return False
