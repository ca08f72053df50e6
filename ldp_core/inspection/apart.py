"""Inspection of an upload in a process of its own, for a server without torch (`system.bounded`)."""

from collections.abc import Mapping
from typing import Any

import torch

from ldp_core.errors import InvalidInput
from ldp_core.experiment import read_json
from ldp_core.inspection import inspect

MOST_BYTES = 64_000_000


def main(asked: Mapping[str, Any], files: Mapping[str, bytes]) -> tuple[dict[str, Any], bytes]:
    torch.set_num_threads(1)
    try:
        return inspect(files["upload"], read_json(files["card"].decode()), MOST_BYTES), b""
    except UnicodeDecodeError:
        raise InvalidInput("the card is no text: save it as JSON in UTF-8") from None
