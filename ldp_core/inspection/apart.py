"""Inspection of an upload in a process of its own, for a server without torch (`system.bounded`)."""

from collections.abc import Mapping
from typing import Any

from ldp_core.errors import InvalidInput
from ldp_core.experiment import read_json
from ldp_core.inspection import inspect
from ldp_core.inspection.arrays import read_arrays
from ldp_core.inspection.look import look

MOST_BYTES = 64_000_000


def main(asked: Mapping[str, Any], files: Mapping[str, bytes]) -> tuple[dict[str, Any], bytes]:
    """The upload as understood where it is to be `shown`, with what its card states; else the result."""
    try:
        card = read_json(files["card"].decode())
    except UnicodeDecodeError:
        raise InvalidInput("the card is no text: save it as JSON in UTF-8") from None
    if asked.get("shown"):
        return look(read_arrays(files["upload"], MOST_BYTES), card).as_json(), b""
    import torch

    torch.set_num_threads(1)
    return inspect(files["upload"], card, MOST_BYTES), b""
