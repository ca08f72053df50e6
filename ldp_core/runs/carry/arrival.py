"""An export (ZIP, JSON or report) brought back as a job: read, never run; whole or not at all; marked."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

from ldp_core.errors import InvalidInput, StorageFailed, on_one_line, shown
from ldp_core.experiment import parse
from ldp_core.runs import kinds, queue
from ldp_core.runs.carry.pictures import CURVES
from ldp_core.runs.carry.whole import as_zip
from ldp_core.runs.jobs.archive import FORMAT
from ldp_core.runs.jobs.tables import TABLES
from ldp_core.runs.kinds.base import UNREADABLE
from ldp_core.runs.queue.table import ID
from ldp_core.runs.record import quota, store
from ldp_core.runs.record.store import Row, Stored
from ldp_core.runs.storage.disk_space import refuse_a_full_disk
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.runs.view.run_progress import Progress

MOST_BYTES = 10**9
"""Of what is in it, unpacked; a page takes less."""
NEEDED = ("job.json", "experiments.json", "events.jsonl")
KNOWN = {
    "README.txt",
    *NEEDED,
    *(f"{name}.{form}" for name in TABLES.values() for form in ("csv", "parquet")),
    *(f"{name}.svg" for name in CURVES),
    "report.html",
    "program.py",
}
ENDED = ("completed", "diverged", "cancelled", "failed", "interrupted")
LONGEST = 50_000_000
"""Bytes of one line of events."""
NO_ZIP = "this is no ZIP file that can be read (nor a report or JSON); take one that export has written"
NONSENSE = "this export is damaged or was edited: it makes no sense; export the job anew"
WRONG = (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError)
"""What making sense of a file raises that makes none."""


def bring_back(file: Path | IO[bytes], owner: str | None = None, most: int = MOST_BYTES) -> str:
    """Make a job of an exported ZIP, JSON or report; returns its id: the one that it had, if that is free.

    Args:
        file: one of them.
        owner: whose job it is to be.
        most: bytes that it may unpack to.

    Raises:
        InvalidInput: it is no export, or is damaged, too large, or of a newer version; in a sentence. Nothing
            of it is kept then.
        StorageFailed: there is no room for it.
    """
    try:
        opened = file.open("rb") if isinstance(file, Path) else nullcontext(file)
    except OSError as error:
        raise InvalidInput(f"{on_one_line(str(file))} cannot be read ({error.strerror})") from error
    try:
        with opened as stream, ZipFile(as_zip(stream, most)) as archive:
            return _brought_back(archive, owner, most)
    except InvalidInput:
        raise
    except WRONG as error:
        raise InvalidInput(NONSENSE) from error
    except (BadZipFile, EOFError, RuntimeError) as error:  # damaged, or encrypted
        raise InvalidInput(NO_ZIP) from error


def _brought_back(archive: ZipFile, owner: str | None, most: int) -> str:
    size = _checked(archive, most)
    about = _json(archive, "job.json")
    if (form := int(about.get("format", 1))) > FORMAT:
        raise InvalidInput(
            f"this export is of a newer version of Epsilon Studio (format {form}; this one reads up to "
            f"{FORMAT}): bring this one up to date"
        )
    kind, request = str(about["kind"]), dict(about["request"])
    try:
        kinds.get(kind).parse(request)
    except UNREADABLE as error:
        raise InvalidInput(f"what this job was asked for cannot be done by this version: {error}") from error
    refuse_a_full_disk(size)
    identity = str(about["id"])
    identity = identity if ID.fullmatch(identity) and queue.status(identity) is None else queue.new_id()
    status = str(about["status"])
    away = runs_dir() / "jobs" / f".{identity}.arriving"
    shutil.rmtree(away, ignore_errors=True)
    away.mkdir(parents=True)
    try:
        rows: list[Row] = [
            _row(row, number, request) for number, row in enumerate(_json(archive, "experiments.json"))
        ]
        digest = hashlib.sha256()
        store.restore(away, rows, _events(archive, len(rows), digest), str(about["id"])[:12])
        if about.get("events_sha256") not in (None, digest.hexdigest()):
            raise InvalidInput(NONSENSE)
        if kind == "run":
            _refuse_what_cannot_be_shown(away)
        times = [_when(about.get(name)) for name in ("created", "started", "ended")]
        if status not in ENDED:  # it went on when it was exported
            status = "interrupted"
        queue.arrive(identity, kind, request, status, str(about["message"]), times, owner, away)
    except BaseException:
        shutil.rmtree(away, ignore_errors=True)
        raise
    quota.prune()
    return identity


def _refuse_what_cannot_be_shown(folder: Path) -> None:
    try:
        Progress(folder).update()
    except StorageFailed as error:
        raise InvalidInput(NONSENSE) from error


def _checked(archive: ZipFile, most: int) -> int:
    """Bytes that it unpacks to; what no export has is refused before anything is read."""
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if strange := next((entry for entry in entries if entry.filename not in KNOWN), None):
        raise InvalidInput(f"this ZIP holds {shown(strange.filename)}, which no export has: it is not taken")
    if any(stat.S_ISLNK(entry.external_attr >> 16) or entry.is_dir() for entry in entries):
        raise InvalidInput("this ZIP holds a link or a folder, which no export has: it is not taken")
    if missing := next((name for name in NEEDED if name not in names), None):
        raise InvalidInput(f"this ZIP has no {missing}: it is no export of Epsilon Studio")
    if len(set(names)) < len(names):
        raise InvalidInput("this ZIP holds a file twice: it is no export of Epsilon Studio")
    size = sum(entry.file_size for entry in entries)
    if size > most:
        sizes = f"{size / 1e6:.0f} MB, and {most / 1e6:.0f} MB is the most taken here"
        raise InvalidInput(f"this ZIP unpacks to {sizes}")
    return size


def _json(archive: ZipFile, name: str) -> Any:
    return json.loads(archive.read(name), parse_constant=_no_number)


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number")


def _row(row: dict[str, Any], number: int, request: dict[str, Any]) -> Row:
    """A line of the table of runs; an export of before says no variant, but each has a label of its own."""
    if int(row["run"]) != number:
        raise ValueError("runs are numbered in their order")
    label = str(row["label"])
    labels = [str(one["label"]) for one in request.get("draft", {}).get("variants", [])]
    variant = row.get("variant", labels.index(label) if label in labels else -1)
    experiment = parse(row["experiment"])
    return number, int(variant), label, int(row["seed"]), str(row["key"]), json.dumps(experiment.as_json())


def _events(archive: ZipFile, runs: int, digest: Any) -> Iterator[Stored]:
    """One after the other, so that a large export takes no more memory than a small one."""
    with archive.open("events.jsonl") as lines:
        for number, line in enumerate(iter(lambda: lines.readline(LONGEST + 1), b""), start=1):
            if len(line) > LONGEST:
                raise ValueError("a line is too long")
            digest.update(line)
            body = json.loads(line, parse_constant=_no_number)
            run, at = int(body.pop("run")), float(body.pop("at"))
            # a ladder has events of no run
            if not isinstance(body["event"], str) or not 0 <= run < max(1, runs):
                raise ValueError("an event is of no run")
            yield Stored(number, run, at, body)


def _when(text: Any) -> float | None:
    return None if text is None else datetime.fromisoformat(str(text)).timestamp()
