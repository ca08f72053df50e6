"""How much is tried: in the gate as much as a fault needs to show, by hand all there is."""

import os
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, TypeVar

T = TypeVar("T")

ALL = os.environ.get("EPSILON_TEST_ALL", "") not in ("", "0")
"""Set by hand, for the long ways of what the gate goes through in short (CONTRIBUTING.md)."""


def in_gate(short: T, long: T) -> T:
    """What the gate tries, or all of it where EPSILON_TEST_ALL is set."""
    return long if ALL else short


def every(step: int, cases: Iterable[T]) -> list[T]:
    """Of many cases that are much alike the gate tries each `step`-th, from the first one on."""
    return [*cases][:: in_gate(step, 1)]


def turns(longest: Sequence[Any], *others: Sequence[Any]) -> list[tuple[Any, ...]]:
    """All combinations; in the gate the others take turns beside the longest list (lengths without a common
    factor, or pairs stay apart).
    """
    if ALL:
        return [*product(longest, *others)]
    return [(one, *(part[n % len(part)] for part in others)) for n, one in enumerate(longest)]
