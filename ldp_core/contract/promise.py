"""One check of a part's contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple


class Broken(AssertionError):
    """A failed check of a part's contract, with its figures."""


class Promise(NamedTuple):
    words: str
    check: Callable[[], None]
    """The check; raises `Broken`, or whatever the part raises."""


Promises = Iterator[Promise]


def require(kept: object, words: str) -> None:
    if not kept:
        raise Broken(words)
