"""Progress of a job in one small file of the computing process. Nothing depends on it, so failures are
ignored; a synced or locked table would delay the training.
"""

import math
import time
from collections import deque
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from ldp_core.datasets import Step
from ldp_core.runs.queue.job import Job
from ldp_core.system.json_file import read_json, write_json

FILE = "progress.json"
EVERY_SECONDS = 0.25
"""Least interval between two writes, except at a new step."""
WINDOW_SECONDS = 60.0
"""Window in which the speed is measured, unless the last step took longer."""
LEAST_SHARE, LEAST_SECONDS = 0.01, 10.0
"""Least share of the work, or time, from which a speed is computed."""


class Pace:
    def __init__(self) -> None:
        self._steps = deque[tuple[float, float]]()

    def seconds_left(self, at: float, done: float, total: float) -> float | None:
        """Estimated seconds left at time `at`; None while the speed is unknown."""
        self._steps.append((at, done))
        while len(self._steps) > 2 and at - self._steps[1][0] >= WINDOW_SECONDS:
            self._steps.popleft()
        began, before = self._steps[0]
        if done <= before or (done - before < LEAST_SHARE * total and at - began < LEAST_SECONDS):
            return None
        return (total - done) * (at - began) / (done - before)


class Reporter:
    """Writes a job's steps to its progress file; one without a name (`Step.doing`) is the job's own work."""

    def __init__(self, folder: Path) -> None:
        """Start anew: an earlier attempt's file in `folder` is deleted."""
        self._path = folder / FILE
        self._pace, self._doing, self._written = Pace(), "-", 0.0
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def __call__(self, step: Step) -> None:
        now = time.monotonic()
        if step.doing == self._doing and now - self._written < EVERY_SECONDS:
            return
        self._doing, self._written = step.doing, now
        left = None if step.doing else self._pace.seconds_left(now, step.done, step.total)
        with suppress(OSError):  # a full disk is the recorder's to report
            write_json(self._path, [asdict(step), left])


class Reached(NamedTuple):
    step: Step
    left: float | None
    """Estimated seconds left; None while the speed is unknown, or once the job is overdue."""


def how_far(job: Job) -> Reached | None:
    path = job.folder / FILE
    with suppress(OSError, ValueError, TypeError):
        fields, left = read_json(path)
        step, ago = Step(**fields), time.time() - path.stat().st_mtime
        if isinstance(step.doing, str) and all(0 <= n < math.inf for n in (step.done, step.total)):
            return Reached(step, None if left is None or left <= ago else float(left) - max(0.0, ago))
    return None
