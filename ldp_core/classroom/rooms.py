"""What a class trains in private: its jobs, found by the name of its room, and removed with it."""

from __future__ import annotations

import time

from ldp_core.errors import NotNow
from ldp_core.runs import jobs, people


def room_of(code: str, opened: float) -> str:
    """The name of a class's room, which its code alone does not tell."""
    return people.room_of(f"class {code} {opened}")


def forget_runs(room: str, seconds: float = 10.0) -> None:
    """Stop and remove all that a room has trained.

    Raises:
        NotNow: it is not stopped within so many seconds.
    """
    until = time.monotonic() + seconds
    while found := jobs.in_room(room):
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
