"""Watching over one job: the process that trains it, from its start until its end is written down."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import signal
import sys
import time
from typing import Any

from ldp_core.runs import lineage, queue
from ldp_core.runs.slots import Slot
from ldp_core.runs.training import DISK_FULL, NO_RECORD, OUTCOME, disk_full, train_process

GRACE_SECONDS = 1.0
"""A job that is cancelled has this long to finish its step before it is killed."""
CONTEXT: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


class Watched:
    """A job in its slot."""

    def __init__(self, job: queue.Job, slot: Slot) -> None:
        logging.info("job %s begins in slot %d", job.id, slot.number)
        self.job, self.slot = job, slot
        # not a daemon: it may start processes of its own
        arguments = (job.folder, job.request, slot, os.getpid())
        self._process = CONTEXT.Process(target=train_process, args=arguments, daemon=False)
        self._process.start()
        queue.set_pid(job.id, self._process.pid)
        self._kill_at: float | None = None
        self._leaving = False

    def step(self) -> bool:
        """Look after it; True once it has ended and how has been written down."""
        if self._kill_at is None and queue.get(self.job.id).status == "cancelling":
            self._ask_to_stop()
        late = self._kill_at is not None and time.monotonic() > self._kill_at
        if not late and not lineage.has_ended(self._process):
            return False
        lineage.end(self._process)  # and what it started goes with it
        self._write_down()
        return True

    def abandon(self) -> None:
        """Kill it and all that it has started, without a word: what it trained is kept."""
        lineage.end(self._process)

    def leave(self) -> None:
        """End it because the worker itself is told to end; what it trained is kept."""
        self._leaving = True
        self._ask_to_stop()

    def _ask_to_stop(self) -> None:
        self._process.terminate()
        self._kill_at = time.monotonic() + GRACE_SECONDS

    def _write_down(self) -> None:
        queue.set_pid(self.job.id, None)
        outcome = self._outcome()
        if outcome["status"] != "completed":
            if queue.get(self.job.id).status == "cancelling":
                outcome = {"status": "cancelled", "message": ""}
            elif self._leaving:
                message = "the worker was told to stop; what was trained is kept"
                outcome = {"status": "interrupted", "message": message}
        logging.info("job %s ends: %s", self.job.id, outcome["status"])
        queue.move(self.job.id, outcome["status"], outcome["message"])

    def _outcome(self) -> dict[str, Any]:
        path, code = self.job.folder / OUTCOME, self._process.exitcode
        if path.exists():
            return json.loads(path.read_text())
        if code == DISK_FULL:
            return {"status": "failed", "message": disk_full()}
        if code == NO_RECORD:
            return {"status": "failed", "message": "its folder is gone or cannot be written; train it again"}
        if code == -signal.SIGKILL:
            return {
                "status": "interrupted",
                "message": "the training process was killed from outside, perhaps because the machine ran "
                "out of memory; what it trained is kept",
            }
        return {"status": "failed", "message": f"the training process crashed (code {code})"}
