"""Settings in a link, and out of a ZIP export, an HTML report, an exported program or a link.

What a stranger brings is parsed as an experiment and nothing else: sizes are checked before anything is
unpacked, no path of an archive is used, and a program is never run.
"""

import ast
import base64
import json
import re
import zlib
from html import unescape
from typing import IO, Any, NamedTuple
from urllib.parse import parse_qs, urlsplit
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from pydantic_core import from_json

from ldp_core.errors import InvalidInput, StudioError
from ldp_core.experiment import Draft, checked, parse_draft
from ldp_core.runs import kinds
from ldp_core.runs.jobs.archive import FORMAT
from ldp_core.runs.record import drafts
from ldp_core.system.zip_directory import short_directory

MOST_BYTES = 10_000_000
"""Largest report or program."""
LONGEST, MOST_MARKS, MOST_IN_CODE = 2_000_000, 300_000, 60_000
"""Most characters of settings; and most commas, colons, brackets and so on among them, each of which may
become an object of fifty times its size, and ten times that in Python's syntax.
"""
MOST_IN_LINK = 3000
"""Most characters of a link, which browsers, mail and chats pass on unchanged."""
DIRECTORY = 20_000
"""Most bytes of a ZIP's directory, ten times those of an export."""
LITERAL = re.compile(
    r"""(?:'(?:[^'\\\n]|\\['"\\nrtxuU])*+'|"(?:[^"\\\n]|\\['"\\nrtxuU])*+"|True|False|None"""
    r"""|-?\d++(?:\.\d++)?+(?:[eE][+-]?\d++)?+(?!\w)|[\[\]{}(),:\s])*+"""
)
"""What `pprint` writes of JSON values: Python warns of other code while it parses it."""
BROKEN = "this link was cut short or changed on its way; ask for it again"
UNKNOWN = "this is no ZIP, report or program that Epsilon Studio has exported, and no link with settings"
DAMAGED = "its settings are damaged or were edited: export them anew"
WRONG = (
    ValueError,
    ArithmeticError,
    LookupError,
    TypeError,
    AttributeError,
    RecursionError,
    MemoryError,
    SyntaxError,
)


def as_link(draft: Draft) -> str:
    """A draft as URL-safe characters; "" where they would be too many for a URL."""
    text = json.dumps(draft.as_json(), separators=(",", ":"), ensure_ascii=False).encode()
    found = base64.urlsafe_b64encode(zlib.compress(text, 9)).decode().rstrip("=")
    return found if len(found) <= MOST_IN_LINK else ""


def of_link(text: str) -> Draft:
    """Draft of these characters; InvalidInput if they were cut, changed, or are of another version."""
    reader = zlib.decompressobj()
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        data = _json(reader.decompress(content, LONGEST).decode())
    except (ValueError, zlib.error, RecursionError) as error:
        raise InvalidInput(BROKEN) from error
    if not reader.eof:
        raise InvalidInput(BROKEN)
    try:
        return parse_draft(data)
    except (StudioError, LookupError, TypeError, AttributeError) as error:
        raise InvalidInput(f"what this link holds cannot be run by this version: {error}") from error


class Opened(NamedTuple):
    draft: Draft
    ladder: dict[str, Any] | None = None
    """Attack grid without its base experiment, as JSON, of an attack's ZIP."""


def settings_in(stream: IO[bytes]) -> Opened:
    """Settings of an export. InvalidInput: it is none, damaged, too large, or of another version."""
    try:
        if stream.read(4) == b"PK\3\4":
            return _of_job(_in_zip(stream))
        stream.seek(0)
        if len(content := stream.read(MOST_BYTES + 1)) > MOST_BYTES:
            raise InvalidInput(f"it has more than {MOST_BYTES // 10**6} MB, the most of a report or program")
        return Opened(checked(parse_draft(_in_text(content.decode().replace("\r\n", "\n")))))
    except InvalidInput:
        raise
    except StudioError as error:
        raise InvalidInput(f"its settings cannot be used by this version: {error}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(UNKNOWN) from error
    except (BadZipFile, EOFError, RuntimeError, zlib.error, *WRONG) as error:
        raise InvalidInput(DAMAGED) from error


def settings_at(address: str) -> Opened:
    """Settings of a link: those that it holds itself, or that were shared on this server."""
    try:
        asked = parse_qs(urlsplit(address.strip()).query)
    except ValueError:
        asked = {}
    if held := asked.get("settings"):
        return Opened(checked(of_link(held[0])))
    if shared := asked.get("share"):
        if draft := drafts.snapshot(shared[0]):
            return Opened(draft, drafts.ladder_of(shared[0]))
        raise InvalidInput("what it shares is not on this server: ask for the link that opens anywhere")
    raise InvalidInput(UNKNOWN)


def _in_zip(stream: IO[bytes]) -> dict[str, Any]:
    if not short_directory(stream, DIRECTORY):
        raise BadZipFile
    with ZipFile(stream) as archive:
        if archive.namelist().count("job.json") != 1:
            raise InvalidInput("this ZIP has no job.json, or two: it is no export of Epsilon Studio")
        entry = archive.getinfo("job.json")
        if entry.file_size > LONGEST or entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise InvalidInput(f"its job.json is packed in another way, or above {LONGEST / 1e6:g} MB")
        with archive.open(entry) as file:
            about = _json(file.read(LONGEST + 1).decode())
    if type(about["format"]) is not int:
        raise ValueError("no format")
    if about["format"] > FORMAT:
        raise InvalidInput(
            f"this export is of a newer version of Epsilon Studio (format {about['format']}; this one reads "
            f"up to {FORMAT}): bring this one up to date"
        )
    return about


def _of_job(about: dict[str, Any]) -> Opened:
    made, request = kinds.get(about["kind"]), about["request"]
    if about["kind"] == "run":
        return Opened(checked(parse_draft(request[made.part])))
    asked = made.parse(request)
    if not made.listed:
        raise InvalidInput("it holds the answer to a question and no settings: ask it again on Ask")
    ladder = {**asked.as_json()} if about["kind"] == "attack" else None
    if ladder:
        ladder.pop("base")
    return Opened(Draft.alone(asked.base), ladder)


def _in_text(text: str) -> Any:
    _, is_report, rest = text.partition("<h2>Settings</h2>")
    if is_report:
        return _json(unescape(rest.partition("<pre>")[2].partition("</pre>")[0]))
    _, is_program, rest = text.partition("\nDRAFT = ")
    if not is_program:
        raise InvalidInput(UNKNOWN)
    code = _bounded(rest.partition("\n\n")[0], ",:[{(-'\"", MOST_IN_CODE)
    if not LITERAL.fullmatch(code):
        raise ValueError("no literal")
    return _json(json.dumps(ast.literal_eval(code)))


def _json(text: str) -> Any:
    return from_json(_bounded(text, ",:[{", MOST_MARKS), allow_inf_nan=False)


def _bounded(text: str, marks: str, most: int) -> str:
    if len(text) > LONGEST or sum(map(text.count, marks)) > most:
        raise InvalidInput(f"its settings are longer than any of a draft ({len(text) / 1e6:.1f} MB)")
    return text
