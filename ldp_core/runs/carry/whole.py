"""A job's whole record in one text: as JSON, or inside the report, from where both are brought back.

What is read again goes the way of the ZIP, with all of its checks (`arrival`).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import json
import re
import zlib
from typing import IO, Any
from zipfile import ZipFile

from ldp_core.errors import InvalidInput
from ldp_core.runs.jobs.archive import parts_of

MOST_INSIDE = 4_000_000
"""Bytes that a record may take inside a report; a larger one has the ZIP."""
MARK = re.compile(rb"<!--record ([0-9a-f]{64}) ([A-Za-z0-9+/=]+)-->\n$")
EDITED = "this report was edited after it was written; take it as it was exported, or the ZIP of the same run"
NO_RECORD = (
    "this page is no report of Epsilon Studio that holds its record (that of many images is too large); take "
    "the ZIP of the same run"
)
DAMAGED = "this file is damaged, or no export of Epsilon Studio: it makes no sense as JSON"


def as_json(identity: str) -> str:
    """The record: what stands in the ZIP, as one object.

    Raises:
        UnknownJob: there is no such job.
        InvalidInput: nothing is recorded of it.
        StorageFailed: its record is damaged.
    """
    job, experiments, lines = parts_of(identity)
    events = [json.loads(line) for line in lines]
    return json.dumps({"job": job, "experiments": experiments, "events": events}, allow_nan=False) + "\n"


def with_record(page: str, identity: str) -> str:
    """A report, and behind it, where no browser shows it, the record; the page alone where that is large."""
    packed = base64.b64encode(zlib.compress(as_json(identity).encode(), 9))
    if len(packed) > MOST_INSIDE:
        return page
    return f"{page}<!--record {hashlib.sha256(page.encode()).hexdigest()} {packed.decode()}-->\n"


def as_zip(file: IO[bytes], most: int) -> IO[bytes]:
    """A JSON record or a report as the ZIP that it stands for; a ZIP as it is.

    Raises:
        InvalidInput: it is none of them, is too large, or was edited.
    """
    begins = file.read(1)
    file.seek(0)
    if begins not in (b"{", b"<"):
        return file
    content = file.read(most + 1)
    if len(content) > most:
        raise InvalidInput(f"this file is larger than {most / 1e6:.0f} MB, which is the most taken here")
    text = content if begins == b"{" else _inside(content, most)
    try:
        whole = json.loads(text)
        job, experiments, events = whole["job"], whole["experiments"], whole["events"]
        lines = "".join(json.dumps(event) + "\n" for event in events)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise InvalidInput(DAMAGED) from error
    return _zipped({"job.json": job, "experiments.json": experiments}, lines)


def _zipped(objects: dict[str, Any], lines: str) -> IO[bytes]:
    out = io.BytesIO()
    with ZipFile(out, "w") as archive:
        for name, value in objects.items():
            archive.writestr(name, json.dumps(value))
        archive.writestr("events.jsonl", lines)
    out.seek(0)
    return out


def _inside(page: bytes, most: int) -> bytes:
    found = MARK.search(page)
    if found is None:
        raise InvalidInput(NO_RECORD)
    if hashlib.sha256(page[: found.start()]).hexdigest().encode() != found[1]:
        raise InvalidInput(EDITED)
    reader = zlib.decompressobj()
    try:
        text = reader.decompress(base64.b64decode(found[2], validate=True), most)
    except (binascii.Error, zlib.error) as error:
        raise InvalidInput(EDITED) from error
    if reader.unconsumed_tail or not reader.eof:
        raise InvalidInput(
            f"what this report holds unpacks to more than {most / 1e6:.0f} MB, or is cut short"
        )
    return text
