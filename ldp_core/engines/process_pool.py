"""Persistent processes that train one client each, at a time.

The samples are handed over once, when the processes begin, and are shared: forked where the system
can, else through shared memory. What a process computes depends on its task alone, so the number of
processes changes the time and not one bit of the result. They end with the process that started
them, and are ended as soon as a task is interrupted or fails.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol, cast

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core.engines.per_client import scores_alone, train_alone
from ldp_core.engines.plan import Indices
from ldp_core.engines.recipe import Recipe
from ldp_core.errors import ProcessLost
from ldp_core.system.memory import ran_out
from ldp_core.system.process_death import die_with

CRASHES = [
    getattr(signal, name)
    for name in ("SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE")
    if hasattr(signal, name)
]
"""What a process gets that went wrong by itself; whoever ends one from outside sends another signal."""

Samples = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""Training samples and labels, and test samples."""


class Task(Protocol):
    """Something to compute from the samples."""

    def __call__(self, samples: Samples) -> NDArray[np.float32]: ...


@dataclass(frozen=True)
class Training:
    """One client's training: its weights afterwards (d,)."""

    recipe: Recipe
    start: NDArray[np.float32]
    batches: list[Indices]

    def __call__(self, samples: Samples) -> NDArray[np.float32]:
        return train_alone(self.recipe, self.start, samples[0], samples[1], self.batches)


@dataclass(frozen=True)
class Scoring:
    """The scores (n, classes) of a model for a stretch of the test samples."""

    recipe: Recipe
    weights: NDArray[np.float32]
    stretch: slice

    def __call__(self, samples: Samples) -> NDArray[np.float32]:
        return scores_alone(self.recipe, self.weights, samples[2][self.stretch])


@dataclass(frozen=True)
class Failure:
    """What a process says of a task that it could not do."""

    memory: bool
    words: str


class Pool:
    """A few processes and the samples that they share."""

    def __init__(self, size: int, samples: Samples, method: str | None = None) -> None:
        """Start `size` processes, by "fork" where that is safe (Linux), else by "spawn"."""
        method = method or ("fork" if sys.platform == "linux" else "spawn")
        self._context: Any = multiprocessing.get_context(method)
        if method == "spawn":
            for tensor in samples:
                tensor.share_memory_()  # type: ignore[no-untyped-call]
        self._samples = samples
        self._processes: dict[Connection, BaseProcess] = {}
        for _ in range(size):
            self._start()

    def _start(self) -> Connection:
        """One more process; returns our end of the pipe to it."""
        ours: Connection
        ours, theirs = self._context.Pipe()
        arguments = (theirs, os.getpid(), self._samples)
        process = self._context.Process(target=_serve, args=arguments, daemon=True, name="epsilon-client")
        process.start()
        theirs.close()  # so that its end is heard when the process ends
        self._processes[ours] = process
        return ours

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._processes.values() if process.pid is not None]

    def map(self, tasks: Sequence[Task]) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """The number of each task and its result, as they are done; tasks begin in their order.

        Raises:
            MemoryError: a task did not fit in memory.
            ProcessLost: a process was killed from outside, or a task crashed two of them.
        """
        doing: dict[Connection, int] = {}
        repeated: set[int] = set()
        waiting = iter(range(len(tasks)))

        def give(end: Connection, number: int) -> None:
            end.send(tasks[number])
            doing[end] = number

        try:
            for end, number in zip(list(self._processes), waiting, strict=False):
                give(end, number)
            while doing:
                for end in cast("list[Connection]", wait(list(doing))):
                    number = doing.pop(end)
                    try:
                        result = end.recv()
                    except (EOFError, ConnectionError):
                        give(self._replaced(end, number in repeated), number)
                        repeated.add(number)
                        continue
                    if isinstance(result, Failure):
                        raise MemoryError(result.words) if result.memory else RuntimeError(result.words)
                    following = next(waiting, None)
                    if following is not None:
                        give(end, following)
                    yield number, result
        except (EOFError, ConnectionError) as error:
            code = max(self._joined(process) for process in self._processes.values())
            self.close()
            raise ProcessLost(code=code) from error  # it was gone before it was asked
        except BaseException:
            self.close()  # among them a person who cancels: nobody waits for what is half done
            raise

    def _replaced(self, end: Connection, again: bool) -> Connection:
        """A fresh process in place of one that crashed for the first time."""
        process = self._processes.pop(end)
        end.close()
        process.join()
        crash = -(process.exitcode or 0)
        name = signal.Signals(crash).name if crash in CRASHES else ""
        if again or not name:
            raise ProcessLost(name, process.exitcode or 0)
        logging.warning("a process that trained crashed (%s); its client is trained once more", name)
        return self._start()

    @staticmethod
    def _joined(process: BaseProcess) -> int:
        """The exit code of a process that may just have ended; 0 if it lives."""
        process.join(0.1)
        return process.exitcode or 0

    def close(self) -> None:
        """End all processes at once."""
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.join()
        for end in self._processes:
            end.close()
        self._processes = {}


def _serve(connection: Connection, parent: int, samples: Samples) -> None:
    """Do one task after another until nobody asks any more."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a fork has taken over its parent's handlers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to act on
    die_with(parent)
    torch.set_num_threads(1)
    while True:
        try:
            task = connection.recv()
        except (EOFError, ConnectionError):
            return
        try:
            result = task(samples)
        except Exception as error:
            result = Failure(ran_out(error), f"{type(error).__name__}: {error}")
        connection.send(result)
