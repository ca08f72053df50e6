"""Inspection of an upload in a bounded process, since the server loads no torch; nothing is written."""

from typing import Any

from ldp_core.datasets import Seen
from ldp_core.errors import InvalidInput
from ldp_core.runs.record import own_data
from ldp_core.system.bounded import ProcessAnswer, answer

MEMORY, SECONDS = 2 * 2**30, 120
YOURSELF = "run `python -m ldp_core inspect UPLOAD.npz --card CARD.json` on a machine of your own"


def look(upload: bytes, card: bytes = b"{}") -> Seen:
    """An npz file as understood, with what its card states, and what they leave open; else InvalidInput."""
    found = _answer({"shown": True}, upload, card)
    return Seen.of(found.checked("takes more than 2 GB of memory to read"))


def inspected(upload: bytes, card: bytes) -> dict[str, Any]:
    """Result of `ldp_core.inspection.inspect` for an npz file and its card; else InvalidInput."""
    found = _answer({}, upload, card)
    return found.checked(f"an attack on it takes more than {SECONDS} seconds or 2 GB here: {YOURSELF}")


def _answer(asked: dict[str, Any], upload: bytes, card: bytes) -> ProcessAnswer:
    if not own_data.hours():
        raise InvalidInput("this server takes no data of its visitors: its operator has switched that off")
    if len(upload) + len(card) > own_data.MOST_BYTES:
        raise InvalidInput(f"these files have more than {own_data.MOST_BYTES >> 20} MB: {YOURSELF}")
    return answer("ldp_core.inspection.apart", asked, {"upload": upload, "card": card}, MEMORY, SECONDS)
