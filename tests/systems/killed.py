"""A run whose training process is killed in mid-run, and that is taken up again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ldp_core.runs import jobs

Status = dict[str, Any]


def killed_and_resumed(experiment: dict[str, Any], project: Path) -> Status:
    """The status at its end of a run that was killed with SIGKILL after three rounds; commands are typed in
    `project`, and the environment says where runs lie.
    """

    def command(*words: str, given: str = "") -> str:
        whole = [sys.executable, "-m", "ldp_core", *words]
        done = subprocess.run(whole, cwd=project, input=given, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def until(wanted: Callable[[Status], bool]) -> Status:
        end = time.monotonic() + 240
        while not wanted(status := jobs.status(identity)):
            assert time.monotonic() < end, status
            time.sleep(0.1)
        return status

    identity = command("submit", "-", given=json.dumps(experiment)).split()[-1]
    running = until(lambda status: (status["round"] or 0) >= 3 or status["status"] == "failed")
    assert running["pid"], running
    os.kill(running["pid"], signal.SIGKILL)
    cut = until(lambda status: status["pid"] is None and status["status"] != "running")
    assert cut["status"] == "interrupted", cut
    command("resume", identity)
    return until(lambda status: status["status"] in ("completed", "failed", "interrupted"))
