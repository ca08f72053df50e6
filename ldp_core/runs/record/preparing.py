"""What a job does before its first round: a line beside its record, for whoever watches.

The process that trains writes it; pages and `status` read it. Nothing else depends on it, so a line
that cannot be written or read is no error.
"""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import asdict
from pathlib import Path

from ldp_core.datasets import Step, Told
from ldp_core.system.json_file import read_json, write_json

FILE = "doing.json"
SECONDS = 0.2
"""So often at most; a new kind of step is told at once."""


def teller(folder: Path) -> Told:
    """Writes each step down for the watchers of a job's folder."""
    last = ("", 0.0)

    def told(step: Step) -> None:
        nonlocal last
        now = time.monotonic()
        if step.doing == last[0] and now - last[1] < SECONDS:
            return
        last = (step.doing, now)
        with contextlib.suppress(OSError):
            write_json(folder / FILE, asdict(step))

    return told


def doing(folder: Path) -> Step | None:
    """What a job is doing before its first round; None where there is nothing to tell."""
    with contextlib.suppress(OSError, ValueError, TypeError):
        step = Step(**read_json(folder / FILE))
        numbers = all(isinstance(n, int | float) and 0 <= n < math.inf for n in (step.done, step.total))
        return step if isinstance(step.doing, str) and numbers else None
    return None


def nothing(folder: Path) -> None:
    """Forget what an earlier attempt told."""
    with contextlib.suppress(OSError):
        (folder / FILE).unlink(missing_ok=True)
