"""Pool of persistent processes that train batches of a sweep's runs, on systems that fork.

Data are shared once, by the fork. A result depends on its task alone, so the number of processes changes no
bit. The processes end with the process that started them, and when a task is interrupted or fails.
"""

import logging
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, cast

import torch

from ldp_core.errors import ProcessLost, StudioError
from ldp_core.settings import SLOT_CORES
from ldp_core.system.memory import ran_out
from ldp_core.system.process_group import die_with

CRASHES = ("SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE")
"""Signals of a process that crashed by itself, as opposed to one killed from outside."""

PoolTask = Callable[[Any], Any]
"""Function of the shared data that returns a result, or an iterator over several."""


class Pool:
    """Processes and the data they share."""

    def __init__(self, size: int, shared: Any, name: str) -> None:
        self._context: Any = multiprocessing.get_context("fork")
        self._shared, self._name = shared, name
        self._processes: dict[Connection, BaseProcess] = {}
        for _ in range(size):
            self._start()

    def _start(self) -> Connection:
        """Start a process; returns this end of its pipe."""
        ours: Connection
        ours, theirs = self._context.Pipe()
        arguments = (theirs, os.getpid(), self._shared)
        process = self._context.Process(target=_serve, args=arguments, daemon=True, name=self._name)
        process.start()
        theirs.close()  # so that its end is heard when the process ends
        self._processes[ours] = process
        return ours

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._processes.values() if process.pid is not None]

    def map(
        self, tasks: Sequence[PoolTask], enough: Callable[[], bool] = lambda: False
    ) -> Iterator[tuple[int, Any]]:
        """Number and result of each task as they come; tasks start in order, and none after `enough`. A task
        whose process crashed is retried once; raises MemoryError, StudioError for refused input, and
        ProcessLost for a process that was killed from outside, or a task that crashed twice.
        """
        doing: dict[Connection, int] = {}
        repeated: set[int] = set()
        waiting = takewhile(lambda _: not enough(), range(len(tasks)))

        def give(end: Connection, number: int) -> None:
            end.send(tasks[number])
            doing[end] = number

        try:
            for end, number in zip(list(self._processes), waiting, strict=False):
                give(end, number)
            while doing:
                for end in cast("list[Connection]", wait(list(doing))):
                    number = doing[end]
                    try:
                        result, last = end.recv()
                    except (EOFError, ConnectionError):
                        del doing[end]
                        give(self._replaced(end, number in repeated), number)
                        repeated.add(number)
                        continue
                    if isinstance(result, Exception):
                        raise result
                    if last:
                        del doing[end]
                        for following in islice(waiting, 1):
                            give(end, following)
                    if result is not None:
                        yield number, result
        except (EOFError, ConnectionError) as error:
            for process in self._processes.values():
                process.join(0.1)
            code = max(process.exitcode or 0 for process in self._processes.values())
            self.close()
            raise ProcessLost(code=code) from error  # it was gone before it was asked
        except BaseException:
            self.close()  # among them a person who cancels: what is half done is abandoned
            raise

    def _replaced(self, end: Connection, again: bool) -> Connection:
        """New process in place of one that crashed for the first time."""
        process = self._processes.pop(end)
        end.close()
        process.join()
        name = next((one for one in CRASHES if getattr(signal, one, None) == -(process.exitcode or 0)), "")
        if again or not name:
            raise ProcessLost(name, process.exitcode or 0)
        logging.warning("a process that trained crashed (%s); what it was at is begun once more", name)
        return self._start()

    def close(self) -> None:
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.join()
        for end in self._processes:
            end.close()
        self._processes = {}


def _serve(connection: Connection, parent: int, shared: Any) -> None:
    """Loop of a pool process: execute tasks until the pipe closes."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a fork has taken over its parent's handlers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to act on
    die_with(parent)
    os.environ[SLOT_CORES.name] = "1"
    torch.set_num_threads(1)
    while True:
        try:
            task = connection.recv()
        except (EOFError, ConnectionError):
            return
        for said in _results(task, shared):
            connection.send(said)


def _results(task: PoolTask, shared: Any) -> Iterator[tuple[Any, bool]]:
    """Results or errors of a task, each with whether it is the task's last."""
    try:
        found = task(shared)
        if not isinstance(found, Iterator):
            yield found, True
            return
        for one in found:
            yield one, False
        yield None, True
    except StudioError as error:
        yield StudioError(str(error)), True
    except Exception as error:
        words = f"{type(error).__name__}: {error}"
        yield MemoryError(words) if ran_out(error) else RuntimeError(words), True
