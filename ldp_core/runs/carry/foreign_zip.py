"""Reading of an untrusted ZIP in bounded memory: sizes and structure are checked before it is unpacked."""

import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from pydantic_core import from_json

from ldp_core.errors import InvalidExperiment, InvalidInput, StudioError, shown
from ldp_core.runs.jobs.archive import FORMAT
from ldp_core.system.zip_directory import short_directory

LONGEST, MARKS = 2_000_000, 300_000
"""Most bytes of job.json and of one event; and most commas, colons and brackets in it, each of which may
become an object of fifty times its size.
"""
DIRECTORY = 20_000
"""Most bytes of the ZIP's directory, ten times those of an export."""
NEEDED = ("job.json", "events.jsonl")  # others are ignored
ABOUT = {"format", "events_sha256", "id", "kind", "status", "message", "created", "started", "ended"}
ABOUT |= {"request", "exported_by"}
Body = dict[str, Any]
NO_ZIP = "this is no ZIP file that can be read; take one that export has written"
NONSENSE = "this export is damaged or was edited: it makes no sense; export the job anew"
WRONG = (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError)


@contextmanager
def opened(stream: IO[bytes], most: int) -> Iterator[tuple[str, Body, int, Iterator[Body]]]:
    """Kind, request, unpacked bytes (at most `most`) and events of an export; InvalidInput if it is none, and
    for what goes wrong inside this context.
    """
    try:
        if not short_directory(stream, DIRECTORY):
            raise InvalidInput(NO_ZIP)
        with ZipFile(stream) as archive:
            size = _size(archive, most)
            about = _about(archive)
            with archive.open("events.jsonl") as lines:
                yield about["kind"], about["request"], size, _events(lines, about["events_sha256"])
    except InvalidExperiment as error:  # of a cell
        raise InvalidInput(NONSENSE) from error
    except StudioError:
        raise
    except (BadZipFile, EOFError, RuntimeError, zlib.error) as error:  # damaged, or encrypted
        raise InvalidInput(NO_ZIP) from error
    except WRONG as error:
        raise InvalidInput(NONSENSE) from error


def _events(lines: IO[bytes], sha256: str) -> Iterator[Body]:
    """Parsed events; the digest of all is checked after the last."""
    digest = hashlib.sha256()
    while line := lines.readline(LONGEST + 1):
        digest.update(line)
        yield _parsed(line)
    if digest.hexdigest() != sha256:
        raise InvalidInput(NONSENSE)


def _about(archive: ZipFile) -> Body:
    with archive.open("job.json") as file:
        about = _parsed(file.read(LONGEST + 1))
    if int(about.get("format", 0)) > FORMAT:
        raise InvalidInput(
            f"this export is of a newer version of Epsilon Studio (format {about['format']}; this one reads "
            f"up to {FORMAT}): bring this one up to date"
        )
    if extra := next((name for name in about if name not in ABOUT), None):
        raise InvalidInput(f"job.json of this ZIP says {shown(extra)}, which no export does: it is not taken")
    return about


def _parsed(text: bytes) -> Body:
    if len(text) > LONGEST or sum(text.count(mark) for mark in (b",", b":", b"[", b"{")) > MARKS:
        raise InvalidInput(
            f"this ZIP holds a line of more than {LONGEST / 1e6:g} MB, or {MARKS} values: it is not taken"
        )
    found = from_json(text, allow_inf_nan=False)
    if not isinstance(found, dict):
        raise TypeError("no object")
    return found


def _size(archive: ZipFile, most: int) -> int:
    """Unpacked bytes of the entries that are read."""
    names = archive.namelist()
    if missing := next((name for name in NEEDED if names.count(name) != 1), None):
        raise InvalidInput(f"this ZIP has no {missing}, or two: it is no export of Epsilon Studio")
    entries = [archive.getinfo(name) for name in NEEDED]
    size = sum(entry.file_size for entry in entries)
    if size > most or any(entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for entry in entries):
        sizes = f"{size / 1e6:.0f} MB, and {most / 1e6:.0f} MB is the most taken here"
        raise InvalidInput(f"this ZIP unpacks to {sizes}, packed as export does it")
    return size
