"""A run that was found in the cache is put into another job's record, instead of being trained again."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping

from ldp_core.behaviour import version
from ldp_core.errors import StorageFailed, StudioError
from ldp_core.experiment import Run, parse_draft
from ldp_core.runs import queue
from ldp_core.runs.queue.states import FINAL
from ldp_core.runs.record import reference, run_cache
from ldp_core.runs.record.run_cache import Known
from ldp_core.runs.record.store import Recorder
from ldp_core.runs.storage import disk_space
from ldp_core.runs.storage.holding import WRITER, hold

TRIES = 3


def take_over(left: Mapping[int, Run], recorder: Recorder) -> dict[int, Run]:
    """Take over what has been finished already, by another job or in this one; returns what has not.

    Of a run that was begun here only the rest is taken over, if what is recorded is how it began.
    """
    names = {number: run_cache.name_of(run.experiment) for number, run in left.items()}
    stored = dict[int, tuple[Known, int]]()
    for number, name in names.items():
        if known := run_cache.find(name):
            told = recorder.told(number)
            if not told or told == known.bodies()[: len(told)]:
                stored[number] = known, len(told)
    if stored:
        # noted first: whoever is killed in between leaves a hint at nothing, and no record unknown
        run_cache.note(recorder.folder.name, {number: names[number] for number in stored})
    shown = {number for number, (known, skip) in stored.items() if _show(number, known, skip, recorder)}
    return {number: run for number, run in left.items() if number not in shown}


def _show(number: int, known: Known, skip: int, recorder: Recorder) -> bool:
    """By reference; what is stored where somebody may still go on is copied. False if it has gone since."""
    if known.source and queue.status(known.holder) in FINAL:
        try:
            recorder.refer(number, known.source, known.job, skip)
        except OSError as error:  # removed at this moment, or no such links here
            logging.info("run %s of job %s is copied: %s", number, known.holder, error)
        else:
            return True
    told = known.bodies()
    if not run_cache.is_complete(told):
        return False
    recorder.copy(number, told[skip:], known.job)
    return True


def mark(recorder: Recorder) -> None:
    """Mark a record that holds nothing but references: it takes no place."""
    if recorder.refers_only():
        (recorder.folder / reference.ONLY).touch()


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
            recorder = Recorder(job.folder, runs, at_once=True)
            try:
                pure = recorder.begun_by(version(*(run.experiment for run in runs)))
                fresh = not recorder.ended()  # or how its own runs have ended is told as well, in its turn
                whole = pure and fresh and not take_over(dict(enumerate(runs)), recorder)
                if whole:
                    mark(recorder)
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
