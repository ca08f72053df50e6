"""A figure as plotly's JSON, with arrays in base64."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np

Figure = dict[str, Any]


def typed(value: Any) -> Any:
    """`default` for `json.dumps`: arrays as base64, which plotly parses many times faster.

    Raises:
        TypeError: the value is no array.
    """
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{type(value).__name__} cannot be written as JSON")
    return {
        "dtype": f"{value.dtype.kind}{value.dtype.itemsize}",
        "bdata": b64encode(value.tobytes()).decode(),
    }
