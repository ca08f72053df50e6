"""A job, its row in the table of jobs, and its statuses."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from ldp_core.runs.storage.database import Database
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.system.json_file import from_text

SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    place INTEGER PRIMARY KEY AUTOINCREMENT,  -- order of arrival
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    draft TEXT,                               -- the draft it was launched from, if any
    request TEXT NOT NULL,                    -- what to run, as JSON; words in place of long lists
    status TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    created REAL NOT NULL,                    -- seconds since 1970, as all times here
    started REAL,
    ended REAL,
    pid INTEGER,                              -- the process that trains
    owner TEXT,                               -- who launched it: a digest of a browser's token
    address TEXT,                             -- from where: a digest
    keys TEXT NOT NULL DEFAULT '[]',          -- of its computations, in the order of its runs, as JSON
    room TEXT NOT NULL DEFAULT '',            -- of a private job, which its owner alone sees and shares
    pinned INTEGER NOT NULL DEFAULT 0,
    removed REAL,                             -- when its record was removed to make room
    deleted REAL,                             -- when it was deleted; it may come back for a while
    name TEXT NOT NULL DEFAULT '',            -- as its owner typed it; '' for the experiment's own
    note TEXT NOT NULL DEFAULT '',
    figures TEXT,                             -- as JSON: what each variant came to, for lists
    imported INTEGER NOT NULL DEFAULT 0,      -- its record came here as a file
    long TEXT                                 -- the whole request where it is long; no list reads it
);
CREATE TABLE IF NOT EXISTS computations (
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    figures TEXT NOT NULL,                    -- as JSON: what it came to
    at REAL NOT NULL                          -- when it began, or ended
);
CREATE INDEX IF NOT EXISTS by_status ON jobs (status, place);
CREATE INDEX IF NOT EXISTS by_draft ON jobs (draft, place);
"""
STUDIO = Database("studio.sqlite", SCHEMA, format=1)
REMOVED = "its record was removed to make room"
ASIDE = "put aside for others, goes on by itself"
"""Message of a queued job that made room at a checkpoint."""
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
    """A row of the table, which explains the fields; `text` is its `request`, and `noted` its `figures`."""

    id: str
    kind: str
    draft: str | None
    text: str
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
    removed: bool = False
    long: bool = False
    address: str | None = None
    room: str = ""
    pinned: bool = False
    deleted: float | None = None
    name: str = ""
    note: str = ""
    noted: str | None = None
    imported: bool = False
    """Its figures may have been changed, it cannot be resumed, and it is deleted first."""

    @cached_property
    def request(self) -> dict[str, Any]:
        """Request as JSON values; empty if unreadable. A long one is read on demand."""
        if not self.long:
            return self.brief
        rows = STUDIO.rows("SELECT long FROM jobs WHERE id = ?", self.id)
        return next((from_text(row["long"], dict) for row in rows), None) or {}

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
