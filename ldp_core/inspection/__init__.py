"""An upload that was saved elsewhere: what comes back, or which of the attack's assumptions fails.

An npz file has the arrays (`layout.GROUPS`, `layout.BESIDE`), a card the rest (`card.Card`). The two programs
in assets/uploads save both, from Flower and from a loop of PyTorch.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np


def inspect(
    upload: str | Path | bytes | Mapping[str, Any],
    card: str | Path | Mapping[str, Any],
    most: int | None = None,
) -> dict[str, Any]:
    """What a server makes of an upload, as JSON values.

    Args:
        upload: an npz file, its bytes, or arrays by name.
        card: a JSON file, or an object.
        most: bytes that a file may unpack to.

    Raises:
        StudioError: file or card cannot be read, or contradict each other.
    """
    from ldp_core.inspection.arrays import MOST_BYTES, read_arrays, refuse_no_numbers
    from ldp_core.inspection.card import read_card
    from ldp_core.inspection.inspected import inspected

    if isinstance(upload, Mapping):
        arrays = {name: np.asarray(one) for name, one in upload.items()}
        for name, one in arrays.items():
            refuse_no_numbers(name, one.shape, one.dtype)
    else:
        arrays = read_arrays(upload, most or MOST_BYTES)
    return inspected(arrays, read_card(card))
