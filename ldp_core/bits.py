"""Boolean arrays in JSON: a bit each, base64."""

import base64

import numpy as np
from numpy.typing import ArrayLike, NDArray


def packed(flags: ArrayLike) -> str:
    """Flags (n,) as text; their number is not stored."""
    return base64.b64encode(np.packbits(np.asarray(flags, dtype=bool)).tobytes()).decode()


def unpacked(text: str, count: int) -> NDArray[np.bool_]:
    return np.unpackbits(np.frombuffer(base64.b64decode(text), dtype=np.uint8), count=count).astype(bool)
