"""Least width of a safe range in floating point.

In a range of few floating-point steps (4.8e-7 near 5), rounding silently biases the output;
`limits.RESOLUTION` is the required number of them.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ldp_core.errors import InvalidInput, shown
from ldp_core.limits import RESOLUTION, number, spelled
from ldp_core.mechanisms.base import Floats, as_floats

SINGLE = np.finfo(np.float32)
"""Number type of training and uploads."""


def least_width(low: ArrayLike, high: ArrayLike, precision: Any = SINGLE) -> Floats:
    """Least width of safe ranges with these ends, in their units, for a `finfo` of numpy's or torch's;
    infinite if an end overflows.
    """
    size = np.maximum(np.abs(as_floats(low, "low")), np.abs(as_floats(high, "high")))
    _, exponent = np.frexp(np.maximum(size, float(precision.tiny)))
    least = np.ldexp(RESOLUTION * float(precision.eps), exponent - 1)
    return np.where(size > float(precision.max), np.inf, least)


def too_narrow(low: Floats, high: Floats, precision: Any = SINGLE) -> Any:
    """True where a range is narrower than `least_width`."""
    return high - low < least_width(low, high, precision)


def check_resolution(low: Floats, high: Floats, precision: Any) -> None:
    """Raises `InvalidInput` for a range of fewer than `RESOLUTION` steps, or beyond the largest number."""
    lows, highs = np.broadcast_arrays(low, high)
    narrow = too_narrow(lows, highs, precision)
    if narrow.any():
        bottom, top = float(lows[narrow][0]), float(highs[narrow][0])
        raise InvalidInput(
            f"{rule(bottom, top, precision)}; got low {shown(bottom)} and high {shown(top)}: widen the "
            "range, move it towards 0, or give values of a finer type"
        )


def rule(low: float, high: float, precision: Any = SINGLE) -> str:
    """Sentence on the least width of a range in this precision."""
    if np.isinf(least_width(low, high, precision)):
        most = number(float(precision.max), 2)
        return f"low and high must lie within ±{most}, the largest {precision.dtype}"
    least = least_in_words(low, high, precision)
    return f"high must exceed low by at least {least}, {spelled(RESOLUTION)} steps of {precision.dtype} there"


def least_in_words(low: float, high: float, precision: Any = SINGLE) -> str:
    """Least width to two digits, rounded up."""
    least = float(least_width(low, high, precision))
    unit = 10.0 ** (np.floor(np.log10(least)) - 1)
    return spelled(float(np.ceil(least / unit) * unit))
