"""A job as its row in the queue holds it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ldp_core.runs.queue.states import LIVE, STALLED, Status
from ldp_core.runs.storage.database import reading
from ldp_core.runs.storage.paths import runs_dir

DATABASE = "studio.sqlite"
REMOVED = "its record was removed to make room"


@dataclass(frozen=True)
class Job:
    id: str
    kind: str
    draft: str | None
    text: str
    """What it was asked to do, as JSON; of a `long` request, with words in place of its long lists."""
    status: Status
    message: str
    """Why it is so, and what else is to be said of it, in words that nothing depends on."""
    created: float
    started: float | None
    ended: float | None
    pid: int | None
    place: int
    owner: str | None = None
    keys: tuple[str, ...] = ()
    """Of its computations (`record.computations`): of a training, of each run in their order."""
    removed: bool = False
    """True once its record was removed to make room."""
    long: bool = False
    """True for a request of thousands of clients."""
    address: str | None = None
    """From where it was launched, as a digest (`people.address`); None if unknown."""
    room: str = ""
    """Of a private job: it is in its owner's lists alone, and shares no computation with others' jobs."""
    pinned: bool = False
    deleted: float | None = None
    """When it was deleted (seconds since 1970)."""
    name: str = ""
    note: str = ""
    """What its owner calls it; "" where that is what its experiment is called."""
    noted: str | None = None
    """What each variant came to, as JSON; None before it has ended, or of another kind of job."""
    imported: bool = False
    """Its record came here as a file: its figures may have been changed, nothing
    goes on from it, and it is the first to go."""

    @cached_property
    def request(self) -> dict[str, Any]:
        """Request as JSON values; empty if unreadable. A long one (ten thousand clients) is read on demand.

        Raises:
            StorageFailed: a long request cannot be read now.
        """
        if not self.long:
            return self.brief
        with reading(runs_dir() / DATABASE) as db:
            row = db and db.execute("SELECT long FROM jobs WHERE id = ?", (self.id,)).fetchone()
        return _read(row and row["long"])

    @cached_property
    def brief(self) -> dict[str, Any]:
        """Request for lists, with long arrays left out."""
        return _read(self.text)

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


def _read(text: Any) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
