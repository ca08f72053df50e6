"""Import of an exported ZIP as a job, marked as such: all of it or nothing. The request is parsed and written
anew, every event validated; id, owner, status and share of the quota are set by this server.
"""

import json
import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any

from ldp_core.errors import DiskFull, InvalidInput, NotNow, StorageFailed, on_one_line, shown
from ldp_core.events import event_of
from ldp_core.events.order import Order
from ldp_core.experiment import Run
from ldp_core.runs import kinds, queue
from ldp_core.runs.carry.foreign_zip import Body, opened
from ldp_core.runs.kinds.base import UNREADABLE, Kind
from ldp_core.runs.record import computations, quota
from ldp_core.runs.record.checkpoints import restore
from ldp_core.runs.record.computations import IMPORTED, Computation, hold, note_begun
from ldp_core.runs.record.events import Stored
from ldp_core.runs.storage.disk_space import is_full, refuse_a_full_disk

MOST_BYTES = 10**9
"""Largest unpacked size of an import on the command line; pages have a smaller limit."""
LATEST = 10**11
"""Largest time of an event, in seconds since 1970."""
EACH, NEAR = (20, 0.05), (100, 0.2)
"""Number of imported records, and their share of the quota: limits for one person, and for one address."""
_one_at_a_time = threading.Lock()


def import_zip(
    file: Path | IO[bytes], owner: str | None = None, address: str | None = None, most: int = MOST_BYTES
) -> str:
    """Make a job of an exported ZIP of `most` unpacked bytes; returns its id. InvalidInput: it is no export,
    damaged, too large, or of a newer version. NotNow: there is no room for it.
    """
    try:
        stream = file.open("rb") if isinstance(file, Path) else nullcontext(file)
    except OSError as error:
        raise InvalidInput(f"{on_one_line(str(file))} cannot be read ({error.strerror})") from error
    computations.sweep()  # an import that was killed has left a part behind
    with stream as content, _one_at_a_time, opened(content, most) as (kind, request, size, events):
        made, asked = _asked(kind, request)
        _refuse_without_room(size, owner, address)
        refuse_a_full_disk(size)
        runs, bodies = list[Run](), list[str]()
        for run in made.recorded(asked):
            runs.append(run)
            bodies.append(json.dumps(run.experiment.as_json()))
            if (most := most - len(bodies[-1])) < 0:  # of a short request
                raise InvalidInput("the experiments of its runs take more than a file may here")
        order, at = made.telling(asked, runs), list[float]()
        what = [Computation(IMPORTED + secrets.token_hex(8), kind, body) for body in bodies]
        with _held(what):  # who is killed here leaves what no job names, and the next sweep removes
            restore(what, _events(events, order, at))
            status, message = order.became()
            about = {"kind": kind, "status": status, "message": message[:500]}
            submitted = {"started": at[0], "ended": at[1], "owner": owner, "address": address}
            identity = queue.arrive(made.request(asked), [one.key for one in what], **about, **submitted)
    kinds.note_figures(made, queue.get(identity))
    return identity


def _refuse_without_room(size: int, owner: str | None, address: str | None) -> None:
    """NotNow if an owner (None: the operator), an address or the server has no room: an import costs nothing
    to make, so no stored run is deleted for it.
    """
    most, brought = quota.most_bytes(), [one for one in quota.kept() if one.job.imported]
    for whose, (records, share), found in (
        ("you have", EACH, [one for one in brought if owner and one.job.owner == owner]),
        ("your network has", NEAR, [one for one in brought if address and one.job.address == address]),
    ):
        taken = sum(one.size for one in found)
        if found and (len(found) >= records or taken + size > share * most):
            raise NotNow(
                f"{whose} {len(found)} runs of {taken / 1e6:.1f} MB here that were brought as files, and "
                f"{records} of {share * most / 1e6:.0f} MB are the most: delete one before the next"
            )
    if (taken := quota.taken()) + size > most:
        raise NotNow(
            f"all runs take {taken / 1e6:.1f} of the {most / 1e6:.1f} MB that this server keeps, this one "
            f"{size / 1e6:.1f} MB, and a file displaces no other run: delete some runs, or ask for more room"
        )


@contextmanager
def _held(given: Sequence[Computation]) -> Iterator[None]:
    """Lock new records; at exit, delete those that no job has taken over."""
    try:
        note_begun(given)
        with ExitStack() as stack:
            for one in given:
                if held := hold(one.key):
                    stack.callback(held.close, remove=True)
            yield
    except OSError as error:
        why = StorageFailed(f"it cannot be kept ({error.strerror})")
        raise DiskFull if is_full(error) else why from error
    finally:
        with suppress(StorageFailed):  # the next import sweeps
            computations.sweep()


def _asked(kind: str, request: Body) -> tuple[Kind, Any]:
    try:
        made = kinds.get(kind)
        asked = made.parse(request)
        if extra := next((name for name in request if name not in made.request(asked)), None):
            raise InvalidInput(f"{shown(extra)} is nothing that such a job is asked")
    except UNREADABLE as error:
        raise InvalidInput(f"what this job was asked for cannot be done by this version: {error}") from error
    return made, asked


def _events(events: Iterator[Body], order: Order, at: list[float]) -> Iterator[Stored]:
    """Validated events; `at` receives the times of the first and the last."""
    at[:] = [0.0, 0.0]
    for number, body in enumerate(events, start=1):
        run, when = body.pop("run"), body.pop("at")
        if type(run) is not int or run < 0 or type(when) not in (int, float) or not 0 <= when <= LATEST:
            raise ValueError("an event is of no run, or of no time")
        at[:] = [at[0] or when, when]
        yield Stored(number, run, when, order.take(run, event_of(body, order.kinds)).as_json())
