"""Submission of jobs: estimated, refused if they cannot fit, completed at once if all results are known."""

import time
from typing import Any

from ldp_core.cost.seconds import USUAL, in_words
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import Draft
from ldp_core.runs import kinds, queue
from ldp_core.runs.jobs.lookup import of_draft, wake
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.machine.calibration import rates
from ldp_core.runs.record import own_data
from ldp_core.runs.storage.disk_space import refuse_a_full_disk
from ldp_core.runs.storage.locks_and_heartbeats import refuse_without_locks
from ldp_core.settings import MOST_HOURS

CLICK_SECONDS = 1.0
"""Two launches of equal settings within this time count as a double click."""

UNSURE = 10.0
"""Factor by which an unmeasured machine may be slower or faster than `USUAL`."""


def launch(
    kind: str,
    asked: Any,
    draft_id: str | None = None,
    *,
    owner: str | None = None,
    address: str | None = None,
    room: str | None = None,
) -> str:
    """Put a job in the queue, or complete it at once if its results are known; returns its id. `asked` is the
    request as the kind's `read` returns it; see `queue.permissions` for the digests of owner, address and
    room. Raises InvalidExperiment: the job cannot fit into memory or onto the disk, or would take too long;
    QueueFull: enough jobs are waiting; StorageFailed: the disk is nearly full, or has no file locks.
    """
    made = kinds.get(kind)
    admit(kind, asked)
    request = made.request(asked)
    room = room or own_data.room_for(request, owner)
    if draft_id and (same := _a_moment_ago(kind, draft_id, request)):
        return same
    new = queue.new_id()
    keys = [one.key for one in made.computations(asked, new, room)]
    kinds.give_up_what_is_damaged(keys)
    identity = queue.add(kind, request, draft_id, owner, address, identity=new, keys=keys, room=room)
    if identity != new or not kinds.settle(queue.get(identity)):
        wake(newest=True)
    return identity


def submit(draft: Draft, draft_id: str | None = None, *, reference: bool = False, **who: str | None) -> str:
    """Launch the training of a draft; with `reference`, also without noise for comparison. See `launch`."""
    return launch("run", Training(draft, reference), draft_id, **who)


def admit(kind: str, asked: Any) -> None:
    """Check a job, whether new or resumed, before it enters the queue; errors as for `launch`."""
    refuse_too_much(kind, asked)
    refuse_without_locks()
    refuse_a_full_disk(kinds.get(kind).cost(asked).storage)


def refuse_too_much(kind: str, asked: Any) -> None:
    """Raise InvalidExperiment for a request that exceeds memory, disk or the time limit of a job."""
    made, known = kinds.get(kind), rates()
    made.refuse_what_cannot_fit(asked)
    most, seconds = 3600 * MOST_HOURS.value(), made.cost(asked).seconds(known or USUAL)
    if seconds <= (most if known else UNSURE * most):
        return
    message = (
        f"would take about {in_words(seconds)} on this server, and one job may take {in_words(most)}; try "
        "fewer rounds, runs or seeds, or a smaller model"
    )
    raise InvalidExperiment.at("rounds", message)


def _a_moment_ago(kind: str, draft_id: str, request: dict[str, Any]) -> str | None:
    """Id of a job with this request that ended uncancelled since the first click of a double click."""
    for job in of_draft(draft_id, kind, most=1):
        just_now = time.time() - CLICK_SECONDS < (job.ended or 0.0) <= time.time()
        if job.request == request and job.status != "cancelled" and just_now:
            return job.id
    return None
