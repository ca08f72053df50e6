"""Monitoring of one job's process: a fork, which inherits the imported torch and leads a process group of its
children. It is stopped when the job is cancelled. Its outcome comes through a pipe, none from a killed
process, and is written to the queue.
"""

import json
import logging
import math
import multiprocessing
import os
import signal
import sys
import time
from typing import Any

from ldp_core.runs import queue
from ldp_core.runs.kinds import JobEnd
from ldp_core.runs.machine.slots import Slot
from ldp_core.runs.process.training import train_process
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.time_left import how_far
from ldp_core.system import preemption, process_group

CONTEXT: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
KEPT = "what it trained is kept"
STOPS = {signal.SIGTERM, signal.SIGALRM, signal.SIGINT, signal.SIGHUP}
"""Signals by which a process is asked to stop; SIGALRM follows an ignored SIGTERM (`training`)."""
GRACE_SECONDS = 1.0
"""Time for a cancelled job to finish its step before its process is killed."""


class Watched:
    """A job's process in its slot; OSError if none can be started now."""

    def __init__(self, job: Job, slot: Slot) -> None:
        logging.info("job %s begins in slot %d", job.id, slot.number)
        self.job, self.slot = job, slot
        self._pipe, tell = CONTEXT.Pipe(duplex=False)
        with tell:
            self._process = CONTEXT.Process(target=train_process, args=(tell, job, slot, os.getpid()))
            with process_group.stops_held():
                self._process.start()
        self._outcome: JobEnd | None = None
        self._kill_at = math.inf
        self._leaving: JobEnd | None = None
        self._noted = False
        self.began, self.makes_room = time.monotonic(), False
        self.working = math.inf
        """When its own work was first seen."""
        self._done = 0.0

    def step(self) -> bool:
        """Check on the process; True once its outcome is stored. After a StorageFailed, call again."""
        status = queue.status(self.job.id)
        if status is None:
            logging.error("job %s is not in the queue any more: what it trains is nobody's", self.job.id)
            self.kill()
            return True
        if not self._noted:
            queue.update(self.job.id, pid=self._process.pid)
            self._noted = True
        if status == "cancelling" and self._kill_at == math.inf:
            self._ask_to_stop()
        if time.monotonic() <= self._kill_at and not self.has_ended():
            return False
        self.kill()  # and what it started goes with it
        self._write_down()
        return True

    def has_ended(self) -> bool:
        """True once the process has ended; its children may still run."""
        return self._outcome is not None or process_group.has_ended(self._process)

    def kill(self) -> None:
        """Kill the process and its children; the stored rounds are kept."""
        if self._outcome is None:  # or else its number may be another process's by now
            process_group.end(self._process)
            self._outcome = self._heard()

    def has_worked(self, now: float) -> bool:
        """True once it has done a step of its own work since it was first seen at it."""
        if (at := how_far(self.job)) is None or at.step.doing:
            return False
        if self.working > now:
            self.working, self._done = now, at.step.done
        return at.step.done > self._done

    def make_room(self) -> None:
        """Ask the process to stop at its next checkpoint; its job returns to the queue then."""
        if self._outcome is None and self._process.pid is not None:
            self.makes_room = True
            os.kill(self._process.pid, preemption.SIGNAL)  # it is not reaped yet

    def leave(self, end: JobEnd) -> None:
        """Stop the process because the worker ends; the job gets the outcome `end`."""
        self._leaving = end
        self._ask_to_stop()

    def _ask_to_stop(self) -> None:
        self._process.terminate()
        self._kill_at = time.monotonic() + GRACE_SECONDS

    def _write_down(self) -> None:
        queue.update(self.job.id, pid=None)
        end = self._outcome or self._heard()
        if end.status != "completed":
            if queue.status(self.job.id) == "cancelling":
                end = JobEnd("cancelled")
            elif self._leaving:
                end = self._leaving
            elif end.status == "cancelled":  # without a request
                end = JobEnd("interrupted", "the training process was asked to stop from outside; " + KEPT)
        logging.info("job %s ends: %s", self.job.id, end.status)
        if not queue.move(self.job.id, end.status, end.message):
            # it was asked to stop since it was looked at, and it may not wait any more
            queue.move(self.job.id, "cancelled")

    def _heard(self) -> JobEnd:
        """Outcome that the process wrote before it ended, or one made from its exit code."""
        with self._pipe:
            try:
                if self._pipe.poll():
                    return JobEnd(*json.loads(self._pipe.recv_bytes()))
            except (OSError, EOFError):
                pass  # it was killed
        code = self._process.exitcode
        if code == -signal.SIGKILL:
            why = "was killed from outside, perhaps because the machine ran out of memory"
            return JobEnd("interrupted", f"the training process {why}; {KEPT}")
        if code is not None and -code in STOPS:
            return JobEnd("cancelled")
        return JobEnd("failed", f"the training process crashed (code {code})")
