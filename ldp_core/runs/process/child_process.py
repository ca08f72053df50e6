"""Jobs done by processes that this one forks: torch is imported already, so that each begins at once."""

from __future__ import annotations

import multiprocessing
import os
import sys
from typing import Any

from ldp_core.runs.machine.slots import Slot
from ldp_core.runs.process.training import train_process
from ldp_core.runs.queue.job import Job
from ldp_core.system import process_group

CONTEXT: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


class ChildProcess:
    """A job in a process of its own, which leads a group of all that it starts."""

    def __init__(self, job: Job, slot: Slot) -> None:
        # not a daemon: it may start processes of its own
        arguments = (job.kind, job.folder, job.request, slot, os.getpid())
        self._process = CONTEXT.Process(target=train_process, args=arguments, daemon=False)
        self._process.start()
        self._gone = False

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def poll(self) -> bool:
        return self._gone or process_group.has_ended(self._process)

    def stop(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        if not self._gone:  # or else its number may be another process's by now
            process_group.end(self._process)
            self._gone = True

    @property
    def code(self) -> int | None:
        return self._process.exitcode


class ChildProcesses:
    """An executor that forks."""

    def start(self, job: Job, slot: Slot) -> ChildProcess:
        return ChildProcess(job, slot)
