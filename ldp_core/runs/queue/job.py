"""A job, as stored in a row of the queue, and its statuses."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from ldp_core.runs.storage.database import reading
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.system.json_file import from_text

DATABASE = "studio.sqlite"
REMOVED = "its record was removed to make room"
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


@dataclass(frozen=True)
class Job:
    id: str
    kind: str
    draft: str | None
    text: str
    """Request as JSON; of a `long` one with its long lists replaced by words."""
    status: Status
    message: str
    """Reason for the status and other remarks, for people only."""
    created: float
    started: float | None
    ended: float | None
    pid: int | None
    place: int
    owner: str | None = None
    keys: tuple[str, ...] = ()
    """Keys of the job's computations (`record.computations`), in the order of its runs."""
    removed: bool = False
    """True once the quota has deleted the job's record."""
    long: bool = False
    """True for a request of thousands of clients."""
    address: str | None = None
    """Digest of the network address of the launch (`permissions.address`); None if unknown."""
    room: str = ""
    """Private room of the job, which only its owner sees and which shares no computations; "" if shared."""
    pinned: bool = False
    deleted: float | None = None
    name: str = ""
    note: str = ""
    """Name given by the owner; "" for the experiment's name."""
    noted: str | None = None
    """Final figures of each variant as JSON; None before the end, or for kinds without figures."""
    imported: bool = False
    """Its figures may have been changed, it cannot be resumed, and it is deleted first."""

    @cached_property
    def request(self) -> dict[str, Any]:
        """Request as JSON values; empty if unreadable. A long one is read on demand."""
        if not self.long:
            return self.brief
        with reading(runs_dir() / DATABASE) as db:
            row = db and db.execute("SELECT long FROM jobs WHERE id = ?", (self.id,)).fetchone()
        return from_text(row and row["long"], dict) or {}

    @cached_property
    def brief(self) -> dict[str, Any]:
        return from_text(self.text, dict) or {}

    @property
    def takers(self) -> tuple[tuple[str, str | None], ...]:
        """Identities that take turns in the queue: the address, else the owner; and the owner behind it."""
        return ("address", self.address or self.owner), ("owner", self.owner)

    @property
    def live(self) -> bool:
        """True until the job has reached a final state."""
        return self.status in LIVE or self.status == STALLED

    @property
    def folder(self) -> Path:
        return runs_dir() / "jobs" / self.id
