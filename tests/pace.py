"""What a promise in seconds becomes on this machine, by what a piece of work takes that is always the same.

It is measured in the run that it judges: a machine that is slower, or busy, has as much more time.
"""

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

import numpy as np

from ldp_core.system.process_group import give_way

FORK = multiprocessing.get_context("fork")

USUAL_SECONDS = 0.053
"""That the work took on a core of the machine on which the promises were measured, with nothing beside it."""


def _work() -> None:
    """Some of what the product does: Python's own objects, numbers in a cache, and numbers outside of it."""
    found = {str(n): [n] for n in range(40_000)}
    sorted(found, key=len)
    square = np.ones((160, 160))
    for _ in range(40):
        square = square @ square / 160
    np.sort(np.arange(400_000, 0, -1) % 1009)


def slower(clock: Callable[[], float] = time.monotonic) -> float:
    """By how much, at least 1: on the wall, or of the processor's time (`time.process_time`)."""
    took = []
    for _ in range(3):
        began = clock()
        _work()
        took.append(clock() - began)
    return max(1.0, sorted(took)[1] / USUAL_SECONDS)


def within(seconds: float, of_worker: bool = False) -> float:
    """Seconds on the wall that are allowed here and now for so many, `of_worker` by one that gives way."""
    return seconds * (_slower_where_it_gives_way() if of_worker else slower())


def _slower_where_it_gives_way() -> float:
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_tell, args=(theirs,))
    process.start()
    found = float(ours.recv())
    process.join()
    return found


def _tell(answer: Connection) -> None:
    os.setsid()  # as a worker is started
    give_way()
    answer.send(slower())


@contextmanager
def of_cpu(seconds: float) -> Iterator[None]:
    """What is done inside costs no more of the processor than so many seconds do where they were promised."""
    before, began = slower(time.process_time), time.process_time()
    yield
    took = time.process_time() - began
    allowed = seconds * max(before, slower(time.process_time))
    assert took < allowed, f"{took:.2f} s of the processor, and {allowed:.2f} s are allowed here"
