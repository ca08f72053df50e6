"""Parsing of environment variables, with sentences for invalid ones."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, nan
from pathlib import Path
from typing import Generic, TypeVar

from ldp_core.errors import InvalidInput, one_of, shown

T = TypeVar("T")
UNREAD = re.compile(r"^[\"']|[\"']$|\$\w+|\$\{|%\w+%" + (r"|^[A-Za-z]:[\\/]" if os.name == "posix" else ""))
"""Quotes, variables and, where there are none, drives: a folder of that name would be made."""
Read = TypeVar("Read", covariant=True)


@dataclass(frozen=True)
class Reader(Generic[Read]):
    wanted: str
    """What a text must be, as in “must be …”."""
    read: Callable[[str], Read]
    """Raises ValueError, possibly with a reason that completes the sentence."""


@dataclass(frozen=True)
class Setting(Generic[T]):
    name: str
    default: T
    reader: Reader[T]
    about: str
    """Description in one sentence."""
    usual: str = ""
    """Default in words, if it is not constant."""

    def value(self) -> T:
        """Value from the environment, or the default; raises InvalidInput for an invalid one."""
        text = os.environ.get(self.name, "").strip()
        if not text:
            return self.default
        try:
            return self.reader.read(text)
        except ValueError as error:
            why = f", {error}" if error.args else ""
            raise InvalidInput(f"{self.name} must be {self.reader.wanted}; got {shown(text)}{why}") from None

    @property
    def unset(self) -> str:
        if self.usual or self.default is None:
            return self.usual
        return f"{self.default:g}" if isinstance(self.default, int | float) else str(self.default)


def number(least: float, most: float, endless: bool = False) -> Reader[float]:
    """A number within limits; `inf` stands for no limit if it may be `endless`."""

    def read(text: str) -> float:
        value = most if endless and _float(text) == inf else _float(text)
        return _if(least <= value <= most, value)

    return Reader(f"a number from {least:g} to {most:g}{', or inf' if endless else ''}", read)


def whole(least: int, most: int) -> Reader[int]:
    """A whole number within limits; 2.0 counts as one."""

    def read(text: str) -> int:
        value = _float(text)
        return int(_if(least <= value <= most and value % 1 == 0, value))

    return Reader(f"a whole number from {least} to {most}", read)


def word(words: tuple[str, ...]) -> Reader[str]:
    return Reader(one_of(words), lambda text: _if(text in words, text))


def form(pattern: re.Pattern[str], said: str) -> Reader[str]:
    return Reader(said, lambda text: _if(pattern.fullmatch(text), text))


def folder(there: bool = False) -> Reader[Path]:
    """A path, with `~` expanded, that exists if it must be `there`."""

    def read(text: str) -> Path:
        if unread := UNREAD.search(text):
            raise ValueError(f"and nothing here reads {shown(unread[0])} as a shell does: write the path out")
        try:
            found = Path(text).expanduser().absolute()
        except RuntimeError:
            raise ValueError("and the home of that user is not known here") from None
        if there and not found.is_dir():
            raise ValueError("where no folder is")
        return found

    return Reader("a folder", read)


def _if(fits: object, value: T) -> T:
    if not fits:
        raise ValueError
    return value


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return nan
