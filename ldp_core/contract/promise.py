"""A promise that a part keeps, or breaks with a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple


class Broken(AssertionError):
    """A broken promise of a part, with its figures."""


class Promise(NamedTuple):
    words: str
    check: Callable[[], None]
    """Raises `Broken`, or whatever the part does."""


Promises = Iterator[Promise]


def require(kept: object, words: str) -> None:
    if not kept:
        raise Broken(words)
