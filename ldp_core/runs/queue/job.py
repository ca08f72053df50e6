"""A job, as stored in a row of the queue."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ldp_core.runs.queue.states import LIVE, STALLED, Status
from ldp_core.runs.storage.database import reading
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.system.json_file import from_text

DATABASE = "studio.sqlite"
REMOVED = "its record was removed to make room"


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
    """Private room of the job, which is then visible to its owner only and shares no computations; "" if
    shared.
    """
    pinned: bool = False
    deleted: float | None = None
    """Time of deletion, in seconds since 1970; None if not deleted."""
    name: str = ""
    note: str = ""
    """Name given by the owner; "" for the experiment's name."""
    noted: str | None = None
    """Final figures of each variant as JSON; None before the end, or for kinds without figures."""
    imported: bool = False
    """True for an imported job: its figures may have been changed, it cannot be resumed, and it is deleted
    first.
    """

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
        """Request for lists, with long arrays left out."""
        return from_text(self.text, dict) or {}

    @property
    def place_of(self) -> str | None:
        """Identity that takes turns in the queue: the address, or the owner if no address is known."""
        return self.address or self.owner

    @property
    def live(self) -> bool:
        """True until the job has reached a final state."""
        return self.status in LIVE or self.status == STALLED

    @property
    def folder(self) -> Path:
        """Folder of the job's progress file."""
        return runs_dir() / "jobs" / self.id
