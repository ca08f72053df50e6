"""Statuses of a job, and the transitions between them."""

from __future__ import annotations

from typing import Literal

Status = Literal[
    "queued",
    "running",
    "stalled",
    "cancelling",
    "completed",
    "failed",
    "cancelled",
    "interrupted",
    "diverged",
]
MAY_BECOME: dict[str, tuple[Status, ...]] = {
    "queued": ("running", "cancelled", "completed", "diverged"),
    "running": ("cancelling", "completed", "failed", "interrupted", "diverged", "queued"),
    "cancelling": ("cancelled", "completed", "failed", "interrupted", "diverged"),
    "completed": (),
    "failed": ("queued",),
    "cancelled": ("queued",),
    "interrupted": ("queued",),
    "diverged": (),
}
"""One that has ended is only taken up, as queued, on request (`queue.requeue`)."""
STALLED: Status = "stalled"
"""What a running job is called whose process stands still; no row holds it, for it may go on at any time."""
LIVE = ("queued", "running", "cancelling")
RESUMABLE = tuple(status for status, after in MAY_BECOME.items() if status not in LIVE and after)
FINAL = tuple(status for status, after in MAY_BECOME.items() if not after)
"""What no job comes out of: its record never changes again."""
