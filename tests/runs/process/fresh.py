"""The smallest other executor: every job in an interpreter of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from ldp_core.runs.machine.slots import Slot
from ldp_core.runs.process.training import train_process
from ldp_core.runs.queue.job import Job

ROOT = Path(__file__).parents[3]
"""Not asked of what tests share, which imports what no job needs."""


class Fresh:
    """A job in a new interpreter."""

    def __init__(self, job: Job, slot: Slot) -> None:
        asked = json.dumps([job.kind, str(job.folder), dict(job.request), asdict(slot), os.getpid()])
        self._process = subprocess.Popen([sys.executable, "-m", __name__, asked], cwd=ROOT)

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def poll(self) -> bool:
        return self._process.poll() is not None

    def stop(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        if self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
            self._process.wait()

    @property
    def code(self) -> int | None:
        return self._process.returncode


class FreshInterpreters:
    """An executor that starts a program for each job."""

    def start(self, job: Job, slot: Slot) -> Fresh:
        return Fresh(job, slot)


if __name__ == "__main__":
    kind, folder, request, slot, parent = json.loads(sys.argv[1])
    train_process(kind, Path(folder), request, Slot(**slot), parent)
