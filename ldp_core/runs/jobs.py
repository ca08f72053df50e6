"""What pages and the command line do with jobs: submit, look, cancel, pin, delete."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from ldp_core.cost.estimate import cost, refuse_what_cannot_fit
from ldp_core.errors import DiskFull, NotNow, NotYours, StorageFailed
from ldp_core.experiment import Draft, Variant, changed
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.runs import queue
from ldp_core.runs.process.registration import ensure_worker
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.people import OPERATOR, Person
from ldp_core.runs.queue.states import LIVE, RESUMABLE
from ldp_core.runs.record import quota, reuse, round_share, store
from ldp_core.runs.record.preparing import doing
from ldp_core.runs.record.quota import remove_with
from ldp_core.runs.storage import disk_space
from ldp_core.runs.storage.disk_space import refuse_a_full_disk

BY_A_TEACHER = "a teacher has stopped it"
CLICK_SECONDS = 1.0
"""Two clicks within this time are one."""


def submit(
    draft: Draft, draft_id: str | None = None, *, reference: bool = False, owner: str | None = None
) -> str:
    """Put a draft's runs in the queue; returns the job's id. What has been trained before is shown at once.

    Args:
        draft: what to run.
        draft_id: the draft's id, so that its page finds the job again.
        reference: run it once without noise as well, to hold the others against.
        owner: who launches it, if that is known (see `ldp_core.runs.queue.people`).

    Raises:
        InvalidExperiment: it cannot fit into memory or onto the disk; with the arithmetic.
        QueueFull: enough jobs are waiting.
        StorageFailed: the disk is nearly full.
    """
    refuse_what_cannot_fit(draft)
    refuse_a_full_disk(cost(draft).storage)
    request = {"draft": draft.as_json(), "reference": reference}
    if draft_id and (same := _a_moment_ago(draft_id, request)):
        return same
    identity = queue.add("run", request, draft_id, owner)
    if reuse.complete(identity):
        with suppress(StorageFailed):  # it is done; whoever ends next makes room
            quota.prune()
    else:
        _wake(newest=True)
    return identity


def _a_moment_ago(draft_id: str, request: dict[str, Any]) -> str | None:
    """The job that the first click of a double click has launched, if that has been completed already."""
    for job in of_draft(draft_id, most=1):
        if job.request == request and time.time() - CLICK_SECONDS < (job.ended or 0.0) <= time.time():
            return job.id
    return None


def submit_ladder(ladder: Ladder, draft_id: str | None = None, *, owner: str | None = None) -> str:
    """Put an attacker's ladder in the queue, as a job of kind "attack"; returns the job's id.

    Args:
        ladder: what to attack, and how.
        draft_id: the draft whose base it attacks, so that its page finds the job again.
        owner: who launches it.

    Raises:
        InvalidExperiment: training up to its round cannot fit into memory; with the arithmetic.
        QueueFull: enough jobs are waiting.
        StorageFailed: the disk is nearly full.
    """
    draft = Draft(changed(ladder.base, {"attack": None, "rounds": ladder.round}), (Variant("ladder", {}),))
    refuse_what_cannot_fit(draft)
    refuse_a_full_disk(cost(draft).storage)
    identity = queue.add("attack", {"draft": draft.as_json(), "ladder": ladder.as_json()}, draft_id, owner)
    _wake(newest=True)
    return identity


def look(identity: str) -> Job:
    """The job as it is now; one whose worker has died is marked so first.

    Raises:
        UnknownJob: there is no such job.
    """
    job = queue.get(identity)
    if not job.live:
        return job
    lost = _reap()
    trouble = _wake() if job.status == "queued" else ""
    job = _as_it_is(queue.get(identity), lost)
    if job.waits_for and queue.status(job.waits_for) not in LIVE:
        job = replace(job, message="")  # it has its turn like any other now
    if job.live and (short := disk_space.shortage()):
        waits = "it begins" if job.status == "queued" else "what becomes of it is told"
        trouble = trouble or f"{short}; {waits} as soon as there is room"
    return replace(job, message=trouble) if trouble and job.live else job


def _reap() -> dict[str, str]:
    """Mark what nobody looks after any more; returns what could not be marked, and what has become of it.

    So all can be told, even where nothing can be noted.
    """
    for _ in range(2):
        try:
            queue.reap()
        except DiskFull:
            disk_space.give_up()  # and there may be room for it
        except StorageFailed:
            break
        else:
            return {}
    with suppress(StorageFailed):
        lost = queue.lost()
        logging.warning("could not be marked as interrupted: %s", ", ".join(lost))
        return lost
    return {}


def _as_it_is(job: Job, lost: Mapping[str, str]) -> Job:
    """A job, though it could not be noted that it is lost."""
    if not job.live or job.id not in lost:
        return job
    return replace(job, status="interrupted", message=f"{lost[job.id]}; nothing can be noted on the disk now")


def _wake(newest: bool = False) -> str:
    """Have a worker for what is in the queue; in words why there is none.

    What has been put in the queue stays there, or it would be launched twice; whoever looks tries again.
    """
    try:
        ensure_worker(newest)
    except (OSError, StorageFailed) as error:  # the lock is held too long, or nothing can be written
        logging.warning("no worker: %s", error)
        return "no worker can be started on this server now; it is tried again as long as somebody looks"
    return ""


def cancel(identity: str, person: Person = OPERATOR) -> Job:
    """Ask for a job to stop: at once if it is queued, within seconds if it runs.

    A job that has ended stays as it is.

    Raises:
        UnknownJob: there is no such job.
        NotYours: somebody else has launched it.
    """
    owner = queue.get(identity).owner
    person.check(owner)
    queue.cancel(identity, BY_A_TEACHER if person.owner and person.owner != owner and owner else "")
    return look(identity)


def resume(identity: str, person: Person = OPERATOR) -> Job:
    """Take up a job that was stopped, where it stopped; it waits its turn.

    A job that is waiting, running or finished stays as it is.

    Raises:
        UnknownJob: there is no such job.
        NotYours: somebody else has launched it.
        QueueFull: its owner, or everybody together, has enough jobs waiting.
        NotNow: another job of the same draft waits or runs.
        StorageFailed: the disk is nearly full.
    """
    job = look(identity)
    person.check(job.owner)
    if job.status in RESUMABLE:
        refuse_a_full_disk(disk_space.will_take(job.request))
    if queue.requeue(identity):
        _wake()
    return look(identity)


def pin(identity: str, person: Person = OPERATOR, on: bool = True) -> None:
    """Keep a job's record whatever happens, or no longer.

    Half of the quota is the most that visitors may keep pinned; a teacher may pin all.

    Raises:
        UnknownJob: there is no such job.
        NotYours: somebody else has launched it.
        NotNow: its record was removed before, or too much is pinned already.
        StorageFailed: its folder cannot be written to.
    """
    if not person.owns(queue.get(identity).owner):
        raise NotYours("only whoever launched this job can pin it, or a teacher")
    quota.pin(identity, on, None if person.teacher else quota.most_bytes() // 2)


def remove(identity: str, person: Person = OPERATOR) -> None:
    """Delete a job that has ended, with its record, for good.

    Raises:
        UnknownJob: there is no such job.
        NotYours: somebody else has launched it.
        NotNow: it waits or runs, or is pinned.
        StorageFailed: its folder cannot be removed.
    """
    _reap()
    job = queue.get(identity)
    if not person.owns(job.owner):
        raise NotYours("only whoever launched this job can delete it, or a teacher")
    done = remove_with(partial(queue.drop, job.id), job.folder)
    if not done:
        if (job := queue.get(job.id)).live:
            raise NotNow(f"job {job.id} is {job.status}; stop it before it is deleted")
        raise NotNow(f"job {job.id} is pinned; unpin it before it is deleted")


def of_draft(draft_id: str, kind: str = "run", most: int = 20) -> list[Job]:
    """The newest jobs of one kind that were launched from a draft, newest first."""
    found = queue.find("draft = ? AND kind = ?", (draft_id, kind), most=most)
    return [job for job in found if job.request]  # what cannot be read any more is on the list of all


def recent(most: int = 10, owner: str | None = None) -> list[Job]:
    """The newest jobs of everybody, or of one person, newest first."""
    lost = _reap()
    if queue.find("status = 'queued'", most=1):
        _wake()
    found = queue.find(most=most) if owner is None else queue.find("owner = ?", (owner,), most=most)
    return [_as_it_is(job, lost) for job in found]


def status(identity: str) -> dict[str, Any]:
    """A job in a few words, as JSON values; for several runs, of the one that is furthest behind.

    Raises:
        UnknownJob: there is no such job.
    """
    job = look(identity)
    rounds, accuracy, sha256 = {}, {}, {}
    try:
        events, runs = store.events_after(job.folder), store.runs_of(job.folder)
    except StorageFailed as error:  # what the queue knows can still be told
        events, runs = [], []
        job = replace(job, message=f"{job.message}; {error}" if job.message else str(error))
    if job.kind == "attack":
        return _status_of_ladder(job, len([event for event in events if event.body["event"] == "cell"]))
    for event in events:
        body = event.body
        if body["event"] in ("start", "round", "end"):
            rounds[event.run] = body.get("round", 0)
            accuracy[event.run] = body.get("accuracy")
        if body["event"] == "end":
            sha256[event.run] = body.get("weights_sha256")
    going = [run for run in rounds if run not in sha256]  # one that has diverged comes no further
    behind = min(going if job.live and going else rounds, key=lambda run: rounds[run], default=None)
    return {
        "id": job.id,
        "kind": job.kind,
        "status": job.status,
        "message": job.message,
        "doing": "" if rounds else _doing(job),
        "ahead": queue.ahead_of(job) if job.status == "queued" else 0,
        "round": rounds.get(behind, 0) if behind is not None else 0,
        "rounds": _planned(job),
        "share_of_round": round_share.read(job.folder) if job.status in ("running", "cancelling") else 0.0,
        "accuracy": accuracy.get(behind) if behind is not None else None,
        "pid": job.pid,
        "weights_sha256": sha256.get(behind) if behind is not None else None,
        "runs": [
            {
                "label": run["label"],
                "seed": run["seed"],
                "round": rounds.get(run["run"], 0),
                "accuracy": accuracy.get(run["run"]),
                "weights_sha256": sha256.get(run["run"]),
            }
            for run in runs
        ],
    }


def _planned(job: Job) -> int:
    """Rounds that each of its runs was asked for; 0 if that cannot be read any more."""
    try:
        return int(job.request["draft"]["base"]["rounds"])
    except (LookupError, TypeError, ValueError, OverflowError):
        return 0


def _cells(job: Job) -> int:
    """Cells that a ladder was asked for; 0 if that cannot be read any more."""
    try:
        ladder = job.request["ladder"]
        return len(ladder["mechanisms"]) * len(ladder["epsilons"])
    except (LookupError, TypeError):
        return 0


def _doing(job: Job) -> str:
    """What it does before it has anything to show."""
    return str(doing(job.folder) or "") if job.status in ("running", "cancelling") else ""


def _status_of_ladder(job: Job, cells: int) -> dict[str, Any]:
    return {
        "id": job.id,
        "kind": job.kind,
        "status": job.status,
        "message": job.message,
        "doing": "" if cells else _doing(job),
        "ahead": queue.ahead_of(job) if job.status == "queued" else 0,
        "cells": cells,
        "cells_in_all": _cells(job),
        "pid": job.pid,
    }
