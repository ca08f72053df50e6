"""A draft encoded in a URL, so that the whole experiment opens on any server."""

import base64
import json
import zlib

from ldp_core.errors import InvalidInput, StudioError
from ldp_core.experiment import Draft, parse_draft

MOST = 3000
"""Largest number of characters, which browsers, mail and chats pass on unchanged."""
MOST_UNPACKED = 1_000_000
BROKEN = "this link was cut short or changed on its way; ask for it again"


def packed(draft: Draft) -> str:
    """A draft as URL-safe characters; "" where they would be too many for a URL."""
    text = json.dumps(draft.as_json(), separators=(",", ":"), ensure_ascii=False).encode()
    found = base64.urlsafe_b64encode(zlib.compress(text, 9)).decode().rstrip("=")
    return found if len(found) <= MOST else ""


def unpacked(text: str) -> Draft:
    """Draft of these characters; InvalidInput if they were cut, changed, or are of another version."""
    reader = zlib.decompressobj()
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        data = json.loads(reader.decompress(content, MOST_UNPACKED))
    except (ValueError, zlib.error, RecursionError) as error:
        raise InvalidInput(BROKEN) from error
    if not reader.eof:
        raise InvalidInput(BROKEN)
    try:
        return parse_draft(data)
    except (StudioError, LookupError, TypeError, AttributeError) as error:
        raise InvalidInput(f"what this link holds cannot be run by this version: {error}") from error
