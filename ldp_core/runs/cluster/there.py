"""What is done on a machine of the cluster: one lot of cells or runs, and what it says on the way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, NamedTuple

from ldp_core.errors import StudioError
from ldp_core.experiment import parse
from ldp_core.runs.lockstep import Start, Turn, drive, one_thread
from ldp_core.runs.train_all import Figures, train_all

SEND_SECONDS = 0.1
"""Between two parcels: what is found meanwhile goes in one, or small cells would keep the network busy."""
TICK_SECONDS = 0.25

Tell = Callable[[Any], None]
Work = Callable[[Mapping[int, Any], Tell], Iterator[Any]]


class Ticked(NamedTuple):
    """A run has trained this share of its present round, in [0, 1]."""

    run: int
    share: float


class Refused(NamedTuple):
    """What was asked for cannot be done, in a sentence."""

    why: str


def cells(left: Mapping[int, dict[str, Any]], tell: Tell) -> Iterator[tuple[int, Figures]]:
    """Train the experiments that are left, by their places; all as JSON."""
    places = list(left)
    for i, figures in train_all([parse(left[place]) for place in places], tell):
        yield places[i], figures


def runs(left: Mapping[int, tuple[dict[str, Any], Start | None]], tell: Tell) -> Iterator[Turn]:
    """Train the runs that are left, by number: each an experiment as JSON, and where it goes on from."""
    experiments = {number: parse(experiment) for number, (experiment, _) in left.items()}
    starts = {number: start for number, (_, start) in left.items() if start}
    told_at = 0.0

    def tick(run: int, share: float) -> None:
        nonlocal told_at
        if share >= 1 or time.monotonic() - told_at > TICK_SECONDS:
            told_at = time.monotonic()
            tell(Ticked(run, share))

    yield from drive(experiments, starts, tell, tick)


def parcels(work: Work, left: Mapping[int, Any]) -> Iterator[list[Any]]:
    """All that `work` yields and tells of what is left, a tenth of a second's worth at a time."""
    waiting: SimpleQueue[Any] = SimpleQueue()
    done, ended = object(), Event()

    def do() -> None:
        one_thread()
        try:
            for found in work(left, waiting.put):
                waiting.put(found)
        except StudioError as error:
            waiting.put(Refused(str(error)))
        except Exception as error:  # told where somebody reads it
            waiting.put(error)
        waiting.put(done)
        ended.set()

    Thread(target=do, daemon=True).start()
    while True:
        parcel = [waiting.get()]
        try:
            while True:
                parcel.append(waiting.get_nowait())
        except Empty:
            pass
        said = [one for one in parcel if one is not done]
        if said and isinstance(said[-1], Exception):
            raise said[-1]
        if said:
            yield said
        if parcel[-1] is done:
            return
        ended.wait(SEND_SECONDS)
