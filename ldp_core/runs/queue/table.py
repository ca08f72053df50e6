"""Queries of the table of jobs."""

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ldp_core.errors import UnknownJob
from ldp_core.runs.queue.job import REMOVED, STUDIO, Job, Status
from ldp_core.system.json_file import from_text

changing, looking = STUDIO.writing, STUDIO.reading
COLUMNS = (
    "place, id, kind, draft, request AS text, status, message, created, started, ended, pid, owner, address, "
    "keys, room, pinned, removed, deleted, name, note, figures AS noted, imported, long IS NOT NULL AS long"
)
WITHOUT_REQUESTS = COLUMNS.replace("request AS", "'' AS")
ID = re.compile(r"[0-9a-f]{12}")
LONG = 20_000
"""Number of characters from which on a request is stored twice, for lists without its long arrays."""
MOST_ITEMS = 100
"""Longest array that remains in the version for lists."""


def queue_path() -> Path:
    return STUDIO.path


def stamp() -> tuple[int, ...]:
    """File number, size and time of the last write of the table: any change to it changes one of them, but
    for one within the file system's tick of another (milliseconds). Empty before the first job.
    """
    try:
        found = queue_path().stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def selected(db: sqlite3.Connection, where: str, *values: Any) -> Iterator[Job]:
    """Jobs that fulfil an SQL condition (never user input), deleted ones included."""
    return map(job_of, db.execute(f"SELECT {COLUMNS} FROM jobs WHERE {where}", values))  # noqa: S608


def get(identity: str) -> Job:
    """Job by id; UnknownJob if there is none."""
    found = find("id = ?", (identity,)) if ID.fullmatch(identity) else []
    if not found:
        raise UnknownJob(identity)
    return found[0]


def status(identity: str) -> Status | None:
    return next((job.status for job in find("id = ?", (identity,), requests=False)), None)


def find(where: str = "1", values: tuple[Any, ...] = (), most: int = 100, requests: bool = True) -> list[Job]:
    """Jobs that are not deleted and fulfil an SQL condition (never user input), newest first."""
    columns = COLUMNS if requests else WITHOUT_REQUESTS
    query = f"SELECT {columns} FROM jobs WHERE deleted IS NULL AND {where} ORDER BY place DESC LIMIT ?"  # noqa: S608
    return [*map(job_of, STUDIO.rows(query, *values, most))]


def deleted() -> list[Job]:
    """Jobs marked as deleted, oldest deletion first, including those whose time to restore is over."""
    query = f"SELECT {COLUMNS} FROM jobs WHERE deleted IS NOT NULL ORDER BY deleted"  # noqa: S608
    return [*map(job_of, STUDIO.rows(query))]


def parted(request: dict[str, Any]) -> tuple[str, str | None]:
    """Request as JSON for lists, and the full JSON if that is long, else None."""
    text = json.dumps(request)
    return (text, None) if len(text) <= LONG else (json.dumps(_brief(request)), text)


def _brief(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _brief(one) for name, one in value.items()}
    if isinstance(value, list):
        return f"{len(value)} values" if len(value) > MOST_ITEMS else [_brief(one) for one in value]
    return value


def job_of(row: sqlite3.Row) -> Job:
    """Job from its row; damaged fields count as missing."""
    found = dict(row)
    for name in ("created", "started", "ended", "deleted", "pid"):
        found[name] = found[name] if isinstance(found[name], int | float) else None
    said = [found["message"] if isinstance(found["message"], str) else ""]
    said += [REMOVED] * (found["removed"] is not None)
    return Job(
        **found
        | {name: str(found[name]) for name in ("room", "name", "note")}
        | {name: bool(found[name]) for name in ("long", "pinned", "imported")}
        | {
            "created": found["created"] or 0.0,
            "removed": found["removed"] is not None,
            "message": "; ".join(filter(None, said)),
            "keys": tuple(map(str, from_text(found["keys"], list) or ())),
        }
    )
