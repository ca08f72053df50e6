"""One line of the report: what was looked at, what was found, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Grade = Literal["ok", "note", "wrong"]


@dataclass(frozen=True)
class Finding:
    """Result of one check of `doctor`.

    Attributes:
        grade: "ok"; "note" for what works and is to be known; "wrong" for what will not work.
        found: in words.
        todo: what to do, in words; "" for nothing.
    """

    grade: Grade
    found: str
    todo: str = ""


Look = Callable[[], Finding]


def ok(found: str, todo: str = "") -> Finding:
    return Finding("ok", found, todo)


def note(found: str, todo: str = "") -> Finding:
    """It works, and the operator should know."""
    return Finding("note", found, todo)


def wrong(found: str, todo: str = "") -> Finding:
    return Finding("wrong", found, todo)
