"""Parsing of environment variables, with sentences for invalid ones."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, nan
from pathlib import Path
from typing import Generic, TypeVar

from ldp_core.errors import InvalidInput, one_of, shown

T = TypeVar("T")


@dataclass(frozen=True)
class Setting(Generic[T]):
    name: str
    default: T
    read: Callable[[str], T]
    """Parser; raises ValueError, possibly with a reason that completes “must be …”."""
    about: str
    """Description in one sentence."""
    usual: str = ""
    """Default in words, if it is not constant."""

    def value(self) -> T:
        """Value from the environment, or the default. Raises InvalidInput: the value is invalid."""
        text = os.environ.get(self.name, "").strip()
        if not text:
            return self.default
        try:
            return self.read(text)
        except ValueError as error:
            why = f", {error}" if error.args else ""
            raise InvalidInput(f"{self.name} must be {self.read}; got {shown(text)}{why}") from None

    @property
    def unset(self) -> str:
        if self.usual or self.default is None:
            return self.usual
        return f"{self.default:g}" if isinstance(self.default, int | float) else str(self.default)


@dataclass(frozen=True)
class Number:
    least: float
    most: float
    endless: bool = False
    """Whether `inf` stands for no limit."""

    def __call__(self, text: str) -> float:
        value = _float(text)
        if self.endless and value == inf:
            return self.most
        if not self.least <= value <= self.most:
            raise ValueError
        return value

    def __str__(self) -> str:
        return f"a number from {self.least:g} to {self.most:g}{', or inf' if self.endless else ''}"


@dataclass(frozen=True)
class Whole:
    """A whole number within limits; 2.0 counts as one."""

    least: int
    most: int

    def __call__(self, text: str) -> int:
        value = _float(text)
        if not self.least <= value <= self.most or value % 1:
            raise ValueError
        return int(value)

    def __str__(self) -> str:
        return f"a whole number from {self.least} to {self.most}"


@dataclass(frozen=True)
class Word:
    words: tuple[str, ...]

    def __call__(self, text: str) -> str:
        if text not in self.words:
            raise ValueError
        return text

    def __str__(self) -> str:
        return one_of(self.words)


@dataclass(frozen=True)
class Text:
    """Text of a form, described by `form`."""

    pattern: re.Pattern[str]
    form: str

    def __call__(self, text: str) -> str:
        if not self.pattern.fullmatch(text):
            raise ValueError
        return text

    def __str__(self) -> str:
        return self.form


@dataclass(frozen=True)
class Folder:
    """A path, with `~` expanded."""

    there: bool = False
    """Whether the folder must exist already."""

    def __call__(self, text: str) -> Path:
        try:
            found = Path(text).expanduser().absolute()
        except RuntimeError:
            raise ValueError("and the home of that user is not known here") from None
        if self.there and not found.is_dir():
            raise ValueError("where no folder is")
        return found

    def __str__(self) -> str:
        return "a folder"


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return nan
