"""The private room of a class: its jobs are found by the room's id, and deleted with the class."""

from __future__ import annotations

import time

from ldp_core.errors import NotNow
from ldp_core.runs import jobs, permissions

PATIENCE_SECONDS = 10.0


def room_of(code: str, opened: float) -> str:
    """Id of a class's room, which cannot be derived from the class's code."""
    return permissions.room_of(f"class {code} {opened}")


def forget_runs(room: str) -> None:
    """Stop a room's jobs and delete their records. Raises NotNow: a job does not stop within
    `PATIENCE_SECONDS`.
    """
    until = time.monotonic() + PATIENCE_SECONDS
    while found := jobs.recent(100, requests=False, room=room):
        if time.monotonic() > until:
            raise NotNow("what the room trains is still being stopped; try again in a moment")
        for job in found:
            if job.live:
                jobs.cancel(job.id)
                time.sleep(0.1)
            else:
                if job.pinned:
                    jobs.pin(job.id, on=False)
                jobs.remove(job.id)
