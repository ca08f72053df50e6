"""Who does a job: an executor starts it, and gives a handle to what it has started.

The supervisor knows no more than this, so that a job may as well be done on another machine; what the job
does, and how it ended, it says through its folder (`training.OUTCOME`). What every executor promises is held
by `tests/runs/process/test_executors.py`.

A Ray cluster is no executor, and comes in below a job: `runs.cluster` says why.
"""

from __future__ import annotations

from typing import Protocol

from ldp_core.runs.machine.slots import Slot
from ldp_core.runs.queue.job import Job

DISK_FULL = 28
"""The exit code of a job that had no room to write down how it ended."""
NO_RECORD = 29
"""The exit code of one whose folder is gone or cannot be written."""
TAKEN = 30
"""The exit code of one whose record somebody else writes."""


class Handle(Protocol):
    """A job that was started."""

    @property
    def pid(self) -> int | None:
        """The process of this machine that does it, for whoever looks on; None if it is none."""

    def poll(self) -> bool:
        """True once it has ended; what it has started itself may still be there until it is killed."""

    def stop(self) -> None:
        """Ask it to end soon; what it has done by then is stored. Returns at once."""

    def kill(self) -> None:
        """End it and all that it has started, and return when they are gone; a second time does nothing."""

    @property
    def code(self) -> int | None:
        """How it has ended, as processes tell it: 0 as it should, `DISK_FULL`, `NO_RECORD`, `TAKEN`, below 0
        by that signal; None before it was killed.
        """


class Executor(Protocol):
    """What can do jobs."""

    def start(self, job: Job, slot: Slot) -> Handle:
        """Begin a job with no more of this machine than its slot.

        Raises:
            OSError: nothing more can be started now.
        """
