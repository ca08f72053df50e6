"""Putting a job in the queue: estimated, refused where it cannot fit, completed at once if it is known."""

from __future__ import annotations

import time
from typing import Any

from ldp_core.experiment import Draft
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.runs import kinds, queue
from ldp_core.runs.jobs.lookup import of_draft, wake
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.machine.time_limit import refuse_what_takes_too_long
from ldp_core.runs.storage.disk_space import refuse_a_full_disk
from ldp_core.runs.storage.locks import refuse_without_locks

CLICK_SECONDS = 1.0
"""Two clicks within this time are one."""


def launch(
    kind: str,
    asked: Any,
    draft_id: str | None = None,
    *,
    owner: str | None = None,
    address: str | None = None,
    room: str | None = None,
) -> str:
    """Put a job in the queue; returns its id. What is known already is shown at once.

    Args:
        asked: what that kind is asked for, as its `read` gives it.
        draft_id: the draft that it comes from, so that its page finds the job again.
        owner: who launches it, if that is known (see `ldp_core.runs.queue.people`).
        address: from where, if that is known, as `people.address` gives it.
        room: of what is private (`people.room_of`): only its owner finds what it computes, and when it is
            deleted nothing of it is left.

    Raises:
        InvalidExperiment: it cannot fit into memory or onto the disk, or would take too long; with the
            arithmetic.
        QueueFull: enough jobs are waiting.
        StorageFailed: the disk is nearly full, or knows no locks.
    """
    made = kinds.get(kind)
    admit(kind, asked)
    request = made.request(asked)
    if draft_id and (same := _a_moment_ago(kind, draft_id, request)):
        return same
    new = queue.new_id()
    keys = [one.key for one in made.computations(asked, new, room or "")]
    kinds.give_up_what_is_damaged(keys)
    identity = queue.add(kind, request, draft_id, owner, address, identity=new, keys=keys, room=room or "")
    if identity != new or not kinds.settle(queue.get(identity)):
        wake(newest=True)
    return identity


def submit(draft: Draft, draft_id: str | None = None, *, reference: bool = False, **who: str | None) -> str:
    """Launch the training of a draft; with `reference`, once without noise as well, to hold the others
    against. Otherwise as `launch`, `who` included.
    """
    return launch("run", Training(draft, reference), draft_id, **who)


def submit_ladder(ladder: Ladder, draft_id: str | None = None, **who: str | None) -> str:
    """Launch an attacker's ladder. Otherwise as `launch`, `who` included."""
    return launch("attack", ladder, draft_id, **who)


def admit(kind: str, asked: Any) -> None:
    """All that is asked of a job before it comes into the queue, launched anew or taken up again.

    Raises:
        InvalidExperiment: it cannot fit into memory or onto the disk, or would take too long.
        StorageFailed: the disk is nearly full, or knows no locks.
    """
    refuse_too_much(kind, asked)
    refuse_without_locks()
    refuse_a_full_disk(kinds.get(kind).cost(asked).storage)


def refuse_too_much(kind: str, asked: Any) -> None:
    """Do nothing for what fits into memory, onto the disk and into the time that one job may take.

    Raises:
        InvalidExperiment: with the numbers that say why it does not.
    """
    made = kinds.get(kind)
    made.refuse_what_cannot_fit(asked)
    refuse_what_takes_too_long(made.cost(asked))


def _a_moment_ago(kind: str, draft_id: str, request: dict[str, Any]) -> str | None:
    """The job that the first click of a double click has launched, if that has ended already by itself.

    One that was stopped since asks for a new one.
    """
    for job in of_draft(draft_id, kind, most=1):
        just_now = time.time() - CLICK_SECONDS < (job.ended or 0.0) <= time.time()
        if job.request == request and job.status != "cancelled" and just_now:
            return job.id
    return None
