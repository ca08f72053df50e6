"""Watching over one job's process: start, stop when cancelled, signs of life; its end goes into the queue."""

from __future__ import annotations

import json
import logging
import signal
import time
from contextlib import suppress

from ldp_core.runs import kinds, queue
from ldp_core.runs.kinds import Outcome
from ldp_core.runs.machine.slots import Slot
from ldp_core.runs.process.child_process import ChildProcesses
from ldp_core.runs.process.executor import DISK_FULL, NO_RECORD, TAKEN, Executor
from ldp_core.runs.process.training import OUTCOME
from ldp_core.runs.queue import states
from ldp_core.runs.queue.job import Job
from ldp_core.runs.storage.disk_space import full_disk
from ldp_core.runs.storage.holding import WRITER, holder

OUTCOMES: tuple[states.Status, ...] = ("completed", "failed", "cancelled", "diverged", "queued")
KEPT = "what it trained is kept"
GRACE_SECONDS = 1.0
"""A job that is cancelled has this long to finish its step before it is killed."""


class Watched:
    """A job in its slot."""

    def __init__(self, job: Job, slot: Slot, executor: Executor | None = None) -> None:
        logging.info("job %s begins in slot %d", job.id, slot.number)
        self.job, self.slot = job, slot
        with suppress(OSError):  # whether its folder can be written it finds out itself
            (job.folder / OUTCOME).unlink(missing_ok=True)  # of an earlier attempt
        self.handle = (executor or ChildProcesses()).start(job, slot)
        self._kill_at: float | None = None
        self._leaving = self._noted = False

    def step(self) -> bool:
        """Look after it; True once it has ended and how has been written down.

        Raises:
            StorageFailed: the queue cannot be read or written now; to be tried again.
        """
        status = queue.status(self.job.id)
        if status is None:
            logging.error("job %s is not in the queue any more: what it trains is nobody's", self.job.id)
            self.abandon()
            return True
        if not self._noted:
            queue.set_pid(self.job.id, self.handle.pid)
            self._noted = True
        if self._kill_at is None and status == "cancelling":
            self._ask_to_stop()
        late = self._kill_at is not None and time.monotonic() > self._kill_at
        if not late and not self.handle.poll():
            return False
        self.handle.kill()  # and what it started goes with it
        self._write_down()
        return True

    def abandon(self) -> None:
        """Kill it and all that it has started, without a word: what it trained is kept."""
        self.handle.kill()

    def leave(self) -> None:
        """End it because the worker itself is told to end; what it trained is kept."""
        self._leaving = True
        self._ask_to_stop()

    def _ask_to_stop(self) -> None:
        self.handle.stop()
        self._kill_at = time.monotonic() + GRACE_SECONDS

    def _write_down(self) -> None:
        queue.set_pid(self.job.id, None)
        end = self._outcome()
        if end.status != "completed":
            if queue.status(self.job.id) == "cancelling":
                end = Outcome("cancelled")
            elif self._leaving:
                end = Outcome("interrupted", "the worker was told to stop; what was trained is kept")
            elif end.status == "cancelled":  # which nobody has asked for
                end = Outcome("interrupted", "the training process was told to stop from outside; " + KEPT)
        logging.info("job %s ends: %s", self.job.id, end.status)
        if not queue.move(self.job.id, end.status, end.message, end.waits_for):
            # somebody asked for it to stop since it was looked at, and it may not wait any more
            queue.move(self.job.id, "cancelled")

    def _outcome(self) -> Outcome:
        """How it ended, in its own words if it had any left."""
        code = self.handle.code
        if code == TAKEN:
            who = holder(self.job.folder / WRITER)
            why = f"its record is written by {who.in_words() if who else 'another process'}"
            return Outcome("interrupted", f"{why}: two would harm it; take it up when that has ended")
        try:
            said = json.loads((self.job.folder / OUTCOME).read_text())
            if said["status"] in OUTCOMES:
                waits_for = said.get("waits_for")
                return Outcome(said["status"], str(said["message"]), str(waits_for) if waits_for else None)
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            pass  # it was killed, or the file is damaged
        if code == DISK_FULL:
            return Outcome("failed", full_disk(kinds.storage_of(self.job)))
        if code == NO_RECORD:
            return Outcome("failed", "its folder is gone or cannot be written; train it again")
        if code == -signal.SIGKILL:
            why = (
                "the training process was killed from outside, perhaps because the machine ran out of memory"
            )
            return Outcome("interrupted", f"{why}; {KEPT}")
        return Outcome("failed", f"the training process crashed (code {code})")
