"""How much is tried: in the gate as much as a fault needs to show, by hand all there is."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")

ALL = os.environ.get("EPSILON_TEST_ALL", "") not in ("", "0")
"""Set by hand, for the long ways of what the gate goes through in short (tests/benchmarks/README.md)."""


def in_gate(short: T, long: T) -> T:
    """What the gate tries, or all of it where EPSILON_TEST_ALL is set."""
    return long if ALL else short
