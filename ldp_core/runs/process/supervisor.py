"""Watching over one job: the process that trains it, from its start until its end is written down."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import signal
import sys
import time
from contextlib import suppress
from typing import Any

from ldp_core.runs import queue
from ldp_core.runs.machine.slots import Slot
from ldp_core.runs.process.training import DISK_FULL, NO_RECORD, OUTCOME, train_process
from ldp_core.runs.queue import states
from ldp_core.runs.queue.job import Job
from ldp_core.runs.storage.disk_space import full_disk
from ldp_core.system import process_group

OUTCOMES: tuple[states.Status, ...] = ("completed", "failed", "cancelled", "diverged", "queued")
KEPT = "what it trained is kept"
GRACE_SECONDS = 1.0
"""A job that is cancelled has this long to finish its step before it is killed."""
CONTEXT: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


class Watched:
    """A job in its slot."""

    def __init__(self, job: Job, slot: Slot) -> None:
        logging.info("job %s begins in slot %d", job.id, slot.number)
        self.job, self.slot = job, slot
        with suppress(OSError):  # whether its folder can be written it finds out itself
            (job.folder / OUTCOME).unlink(missing_ok=True)  # of an earlier attempt
        # not a daemon: it may start processes of its own
        arguments = (job.folder, job.request, slot, os.getpid())
        self._process = CONTEXT.Process(target=train_process, args=arguments, daemon=False)
        self._process.start()
        self._kill_at: float | None = None
        self._leaving = self._noted = self._ended = False

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
            queue.set_pid(self.job.id, self._process.pid)
            self._noted = True
        if self._kill_at is None and status == "cancelling":
            self._ask_to_stop()
        if not self._ended:  # or else its number may be another process's by now
            late = self._kill_at is not None and time.monotonic() > self._kill_at
            if not late and not process_group.has_ended(self._process):
                return False
            process_group.end(self._process)  # and what it started goes with it
            self._ended = True
        self._write_down()
        return True

    def abandon(self) -> None:
        """Kill it and all that it has started, without a word: what it trained is kept."""
        process_group.end(self._process)

    def leave(self) -> None:
        """End it because the worker itself is told to end; what it trained is kept."""
        self._leaving = True
        self._ask_to_stop()

    def _ask_to_stop(self) -> None:
        self._process.terminate()
        self._kill_at = time.monotonic() + GRACE_SECONDS

    def _write_down(self) -> None:
        queue.set_pid(self.job.id, None)
        status, message = self._outcome()
        if status != "completed":
            if queue.status(self.job.id) == "cancelling":
                status, message = "cancelled", ""
            elif self._leaving:
                status, message = "interrupted", "the worker was told to stop; what was trained is kept"
            elif status == "cancelled":  # which nobody has asked for
                status, message = "interrupted", "the training process was told to stop from outside; " + KEPT
        logging.info("job %s ends: %s", self.job.id, status)
        if not queue.move(self.job.id, status, message):
            # somebody asked for it to stop since it was looked at, and it may not wait any more
            queue.move(self.job.id, "cancelled")

    def _outcome(self) -> tuple[states.Status, str]:
        """How it ended, in its own words if it had any left."""
        try:
            said = json.loads((self.job.folder / OUTCOME).read_text())
            if said["status"] in OUTCOMES:
                return said["status"], str(said["message"])
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            pass  # it was killed, or the file is damaged
        code = self._process.exitcode
        if code == DISK_FULL:
            return "failed", full_disk(self.job.request)
        if code == NO_RECORD:
            return "failed", "its folder is gone or cannot be written; train it again"
        if code == -signal.SIGKILL:
            why = (
                "the training process was killed from outside, perhaps because the machine ran out of memory"
            )
            return "interrupted", f"{why}; {KEPT}"
        return "failed", f"the training process crashed (code {code})"
