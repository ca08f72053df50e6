"""One check of a part."""

from collections.abc import Callable, Iterator
from typing import NamedTuple


class Broken(AssertionError):
    """A part failed a check; the message has the figures."""


class Promise(NamedTuple):
    words: str
    check: Callable[[], None]
    """The check; raises `Broken`, or whatever the part raises."""


Promises = Iterator[Promise]


def require(kept: object, words: str) -> None:
    if not kept:
        raise Broken(words)
