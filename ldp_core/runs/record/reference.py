"""A run that another job has trained, shown in this one's record without a copy of it.

The database of a job that has ended for good never changes again, so the record that refers to it has a hard
link to that file: a second name for the same bytes. Who deletes the first record takes away one name, and the
kernel counts those that are left: nobody keeps a number that could be wrong, whoever is killed and whenever,
in whichever container. A file system without hard links has copies, as ever.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldp_core.runs.storage.database import reading

EVENT = "stored_run"
"""The one event that stands in a record for all those of a run, or of the rest of one, that it refers to."""
ENDING = ".stored"
"""What the second names of databases end in."""
ONLY = "reference"
"""The file that marks a record in which nothing was trained: all that it holds is of others."""
NAME = re.compile(r"[\w-]{1,40}")


@dataclass(frozen=True)
class Source:
    """Where a finished run is stored."""

    file: Path
    """The database, under one of its names."""
    name: str
    """What it is called beside a record that refers to it: the job that it was made for."""
    run: int
    """Its number there."""


def link(source: Source, folder: Path) -> dict[str, Any]:
    """Give a database one more name, in the folder of a record; returns what refers to its run.

    Raises:
        OSError: it is not there any more, or its file system cannot do that.
    """
    path = folder / f"{source.name}{ENDING}"
    with suppress(FileExistsError):  # of another run, or of an attempt that was cut off
        os.link(source.file, path)
    if not path.samefile(source.file):
        raise FileExistsError(path.name)
    return {"event": EVENT, "file": source.name, "run": source.run}


def is_whole(source: Source) -> bool:
    """True for a run that was completed, with all of its rounds; its events, with a thousand images, are not
    brought here for that.

    Raises:
        StorageFailed: it cannot be read.
    """
    parts = ", ".join(f"json_extract(body, '$.{name}')" for name in ("event", "round", "status"))
    with reading(source.file) as db:
        query = f"SELECT {parts} FROM events WHERE run = ? ORDER BY seq"  # noqa: S608
        told = [tuple(row) for row in db.execute(query, (source.run,))] if db else []
    if not told or told[-1][0] != "end" or told[-1][2] != "completed":
        return False
    return [number for kind, number, _ in told if kind == "round"] == [*range(1, told[-1][1] + 1)]


def bodies(folder: Path, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The events that one event of a record stands for.

    Raises:
        LookupError, ValueError, TypeError: it makes no sense, or what it refers to is not there.
        StorageFailed: that cannot be read.
    """
    with reading(path_of(folder, body)) as db:
        if db is None:
            raise LookupError(body["file"])
        query = "SELECT body FROM events WHERE run = ? ORDER BY seq LIMIT -1 OFFSET ?"
        rows = db.execute(query, (int(body["run"]), int(body.get("skip", 0)))).fetchall()
    return [json.loads(row["body"]) for row in rows]


def path_of(folder: Path, body: dict[str, Any]) -> Path:
    """The name that a database has beside a record which refers to it.

    Raises:
        LookupError, ValueError, TypeError: the event makes no sense.
    """
    if not NAME.fullmatch(body["file"]):
        raise ValueError("no name of a job")
    return folder / f"{body['file']}{ENDING}"
