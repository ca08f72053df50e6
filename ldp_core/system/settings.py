"""Numbers that an operator sets in the environment, each refused in one sentence where it makes no sense."""

from __future__ import annotations

import os
from math import isfinite

from ldp_core.errors import InvalidInput, shown


def number(name: str, default: float, least: float, most: float) -> float:
    """What a variable of the environment says, or the default where it says nothing.

    Raises:
        InvalidInput: it says something else than a number within the limits.
    """
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value) or not least <= value <= most:
        raise InvalidInput(f"{name} must be a number from {least:g} to {most:g}; got {shown(text)}")
    return value


def whole(name: str, default: int, least: int, most: int) -> int:
    """As `number`, without a fraction.

    Raises:
        InvalidInput: it says something else than a whole number within the limits.
    """
    value = number(name, default, least, most)
    if value != int(value):
        raise InvalidInput(f"{name} must be a whole number; got {shown(os.environ[name].strip())}")
    return int(value)
