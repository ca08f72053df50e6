"""Attack on a single upload that another program saved, with a check of each assumption of the attack.

An npz file has the arrays (`layout.GROUPS`, `layout.BESIDE`), a card everything else (`card.Card`). Two
programs in assets/uploads save both, from Flower and from a PyTorch loop.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np


def inspect(
    upload: str | Path | bytes | Mapping[str, Any],
    card: str | Path | Mapping[str, Any],
    most: int | None = None,
) -> dict[str, Any]:
    """Result of the attack on a saved upload, as JSON values: reconstructions, or the assumption that fails.
    StudioError if file or card cannot be read, or contradict each other.

    Args:
        upload: an npz file, its bytes, or arrays by name.
        card: a JSON file, or an object.
        most: limit on the unpacked size, in bytes.
    """
    from ldp_core.inspection.arrays import MOST_BYTES, read_arrays, refuse_no_numbers
    from ldp_core.inspection.inspected import inspected
    from ldp_core.inspection.upload_card import read_card

    if isinstance(upload, Mapping):
        arrays = {name: np.asarray(one) for name, one in upload.items()}
        for name, one in arrays.items():
            refuse_no_numbers(name, one.shape, one.dtype)
    else:
        arrays = read_arrays(upload, most or MOST_BYTES)
    return inspected(arrays, read_card(card))
