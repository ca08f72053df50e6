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
"""Allowed transitions by status; an ended job returns to the queue only by `queue.requeue`."""
STALLED: Status = "stalled"
"""Status of a running job without progress; never stored, since the job may continue at any time."""
LIVE = ("queued", "running", "cancelling")
RESUMABLE = tuple(status for status, after in MAY_BECOME.items() if status not in LIVE and after)
FINAL = tuple(status for status, after in MAY_BECOME.items() if not after)
"""Statuses without transitions."""
