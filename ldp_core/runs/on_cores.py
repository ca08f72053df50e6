"""Many experiments trained on all cores that a job may use: a process a core, each of which folds.

A fold computes on one thread, whatever its federations: what they do beside training is Python's. So runs
that are worth folding are shared by processes that are forked once the data are in memory. A process takes
the next number from a pipe that all of them read whenever it has room, so that none waits for another; what
one has taken that crashes is begun once more. Whatever trains them, a run's figures are what `train_all` says
they are.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import struct
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, cast

from ldp_core.datasets import Data, Told, quiet
from ldp_core.errors import ProcessLost, StudioError
from ldp_core.experiment import Experiment
from ldp_core.runs.lockstep import load, one_thread
from ldp_core.runs.train_all import Figures, Tick, folded
from ldp_core.runs.train_all import train_all as in_this_process
from ldp_core.settings.table import CORES
from ldp_core.system.memory import ran_out
from ldp_core.system.process_death import die_with

NAME = "epsilon-fold"
"""Of such a process."""
WORTH = 8
"""Runs that are shared at least: fewer are done before processes have begun."""
NUMBER = struct.Struct("=I")
MOST = 2**16 // NUMBER.size
"""Numbers that fit in a pipe: that much Linux holds of what nobody has read yet."""
SEND_SECONDS = 0.1
"""Between two parcels of a process: what it has to say of small runs would keep who listens busy."""


def train_all(
    experiments: Sequence[Experiment], told: Told = quiet, tick: Tick = lambda place, ended: None
) -> Iterator[tuple[int, Figures]]:
    """As `runs.train_all.train_all`, on as many cores as EPSILON_CORES says where that is worth its while.

    Raises:
        ProcessLost: a process that trained was killed, or crashed twice.
    """
    from ldp_core.engines.base import processes
    from ldp_core.many import leaves_cores

    size = processes() if sys.platform == "linux" else 1
    alone, shared = list[int](), dict[str, dict[int, Experiment]]()
    for place, experiment in enumerate(experiments):
        if size > 1 and leaves_cores(experiment):
            shared.setdefault(experiment.dataset, {})[place] = experiment
        else:
            alone.append(place)
    for name in [name for name, group in shared.items() if len(group) < WORTH]:
        alone += shared.pop(name)
    for name, group in shared.items():
        yield from _shared(group, {name: load(name, told)}, size, tick)
    left = [experiments[place] for place in alone]
    for i, figures in in_this_process(left, told, lambda i, ended: tick(alone[i], ended)):
        yield alone[i], figures


def _shared(
    experiments: Mapping[int, Experiment], data: Mapping[str, Data], size: int, tick: Tick
) -> Iterator[tuple[int, Figures]]:
    """Experiments on one data set, each by one of `size` processes."""
    left, crashed = dict(experiments), False
    while left:
        some = [*left][:MOST]
        hands = Hands({place: left[place] for place in some}, data, min(size, len(some)))
        try:
            for place, figures in hands.found():
                tick(place, figures is not None)
                if figures is not None:
                    del left[place]
                    yield place, figures
        finally:
            hands.close()
        if hands.crash:
            if crashed:
                raise ProcessLost(hands.crash)
            logging.warning("a process that trained crashed (%s); its runs are begun once more", hands.crash)
            crashed = True


class Hands:
    """Processes that share what is to be trained."""

    def __init__(self, experiments: Mapping[int, Experiment], data: Mapping[str, Data], size: int) -> None:
        self.crash = ""
        """The signal of the last one that went wrong by itself."""
        self._processes: dict[Connection, BaseProcess] = {}
        context: Any = multiprocessing.get_context("fork")
        numbers, gives = os.pipe()
        try:
            os.write(gives, b"".join(map(NUMBER.pack, experiments)))
            os.close(gives)  # so that whoever has read them all sees that there are no more
            for _ in range(size):
                ours, theirs = context.Pipe(duplex=False)
                arguments = (theirs, numbers, os.getpid(), experiments, data)
                process = context.Process(target=_train, args=arguments, daemon=True, name=NAME)
                process.start()
                theirs.close()  # so that its end is heard when the process ends
                self._processes[ours] = process
        finally:
            os.close(numbers)

    def found(self) -> Iterator[tuple[int, Figures | None]]:
        """The number of each run that has trained a round, with None, or has ended, with its figures.

        Raises:
            MemoryError: a run did not fit in memory.
            ProcessLost: a process was killed from outside.
        """
        listening = dict(self._processes)
        while listening:
            for end in cast("list[Connection]", wait(list(listening))):
                try:
                    parcel = end.recv()
                except (EOFError, ConnectionError):
                    self._ended(listening.pop(end))
                    continue
                for said in parcel:
                    if isinstance(said, Exception):
                        raise said
                    yield said

    def _ended(self, process: BaseProcess) -> None:
        from ldp_core.engines.process_pool import CRASHES

        process.join()
        if code := process.exitcode:
            if -code not in CRASHES:
                raise ProcessLost(code=code)
            self.crash = signal.Signals(-code).name

    def close(self) -> None:
        """End all at once; nobody waits for what is half done."""
        for end, process in self._processes.items():
            process.kill()
            process.join()
            end.close()


def _train(
    end: Connection,
    numbers: int,
    parent: int,
    experiments: Mapping[int, Experiment],
    data: Mapping[str, Data],
) -> None:
    """Fold what is left, in a process of its own, and say what comes of it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a fork has taken over its parent's handlers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to act on
    die_with(parent)
    os.environ[CORES.name] = "1"
    one_thread()
    parcel, sent = list[Any](), 0.0

    def say(said: Any) -> None:
        nonlocal sent
        parcel.append(said)
        if time.monotonic() - sent > SEND_SECONDS:
            end.send(parcel)
            parcel.clear()
            sent = time.monotonic()

    def tick(place: int, ended: bool) -> None:
        if not ended:  # that is said by its figures
            say((place, None))

    try:
        for found in folded(_taken(numbers, experiments), data, tick):
            say(found)
    except Exception as error:
        logging.exception("runs that are trained together failed")
        words = f"{type(error).__name__}: {error}"
        if isinstance(error, StudioError):
            parcel.append(StudioError(str(error)))
        else:
            parcel.append(MemoryError(words) if ran_out(error) else RuntimeError(words))
    end.send(parcel)


def _taken(numbers: int, experiments: Mapping[int, Experiment]) -> Iterator[tuple[int, Experiment]]:
    """The next run that no other process has taken. What is read at once is one number, whole."""
    while number := os.read(numbers, NUMBER.size):
        place = NUMBER.unpack(number)[0]
        yield place, experiments[place]
