"""An export (ZIP) brought back as a job: read, never run; whole or not at all; marked.

What comes from outside is data. It becomes what was asked, in this program's own words, and events that can
be told of it; the job's id, owner, state and place in the quota are this server's.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

from ldp_core.errors import DiskFull, InvalidInput, StorageFailed, on_one_line, shown
from ldp_core.events import event_of
from ldp_core.events.order import Order
from ldp_core.experiment import Run
from ldp_core.runs import kinds, queue
from ldp_core.runs.carry.foreign_zip import Told, opened
from ldp_core.runs.carry.room import refuse_without_room
from ldp_core.runs.kinds.base import UNREADABLE, Kind
from ldp_core.runs.record import removal, store
from ldp_core.runs.record.store import Stored
from ldp_core.runs.storage.disk_space import is_full, refuse_a_full_disk
from ldp_core.runs.storage.holding import WRITER, hold
from ldp_core.runs.storage.paths import runs_dir

MOST_BYTES = 10**9
"""Of what is in it, unpacked; a page takes less."""
LATEST = 10**11
"""Seconds since 1970 that no event is told at."""
_one_at_a_time = threading.Lock()


def bring_back(
    file: Path | IO[bytes], owner: str | None = None, address: str | None = None, most: int = MOST_BYTES
) -> str:
    """Make a job of an exported ZIP; returns its id, a new one.

    Args:
        file: the ZIP.
        owner: whose job it is to be.
        address: from where it comes, if that is known.
        most: bytes that it may unpack to.

    Raises:
        InvalidInput: it is no export, or is damaged, too large, or of a newer version; in a sentence. Nothing
            of it is kept then.
        NotNow: this person, this address, or everybody together, has no room for it.
        StorageFailed: it cannot be written.
    """
    try:
        stream = file.open("rb") if isinstance(file, Path) else nullcontext(file)
    except OSError as error:
        raise InvalidInput(f"{on_one_line(str(file))} cannot be read ({error.strerror})") from error
    removal.sweep()  # whoever was killed at this has left a part behind
    with stream as content, _one_at_a_time, opened(content, most) as told:
        made, asked = _asked(told)
        refuse_without_room(told.size, owner, address)
        refuse_a_full_disk(told.size)
        identity = queue.new_id()
        away = runs_dir() / "jobs" / f"{identity}{removal.ARRIVING}"
        try:
            away.mkdir(parents=True)
            with hold(away / WRITER):
                runs = list(_within(made.recorded(asked), most))
                order, at = made.telling(asked, runs), list[float]()
                store.restore(away, runs, _events(told, order, at))
                figures, (status, message) = made.figures(away), order.became()
                about = (told.kind, made.request(asked), status, message[:500], (at[0], at[1]))
                queue.arrive(identity, *about, owner, address, away)
        except BaseException as error:
            shutil.rmtree(away, ignore_errors=True)
            if isinstance(error, OSError):
                raise (
                    DiskFull if is_full(error) else StorageFailed(f"it cannot be kept ({error.strerror})")
                ) from error
            raise
    queue.note_figures(identity, figures)
    return identity


def _asked(told: Told) -> tuple[Kind, Any]:
    """Its kind, and what it was asked, as this program understands it."""
    try:
        made = kinds.get(told.kind)
        asked = made.parse(told.request)
        if extra := next((name for name in told.request if name not in made.request(asked)), None):
            raise InvalidInput(f"{shown(extra)} is nothing that such a job is asked")
    except UNREADABLE as error:
        raise InvalidInput(f"what this job was asked for cannot be done by this version: {error}") from error
    return made, asked


def _within(runs: Iterable[Run], most: int) -> Iterator[Run]:
    """Runs, as long as their experiments take no more than the file may: a short request may be for many."""
    for run in runs:
        most -= len(json.dumps(run.experiment.as_json()))
        if most < 0:
            raise InvalidInput("the experiments of its runs take more than a file may here")
        yield run


def _events(told: Told, order: Order, at: list[float]) -> Iterator[Stored]:
    """One after the other, so that a large export takes no more memory than a small one; `at` is given the
    times of the first and of the last.
    """
    at[:] = [0.0, 0.0]
    for number, body in enumerate(told.events, start=1):
        run, when = body.pop("run"), body.pop("at")
        if type(run) is not int or run < 0 or type(when) not in (int, float) or not 0 <= when <= LATEST:
            raise ValueError("an event is of no run, or of no time")
        at[:] = [at[0] or when, when]
        yield Stored(number, run, when, order.take(run, event_of(body, order.kinds)).as_json())
