"""Result of one check of `doctor`: what was found, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Grade = Literal["ok", "note", "wrong"]


@dataclass(frozen=True)
class Finding:
    """Result of one check.

    Attributes:
        grade: "ok"; "note" for a limitation; "wrong" for a failure.
        found: result in words.
        todo: remedy in words; "" for none.
    """

    grade: Grade
    found: str
    todo: str = ""


Look = Callable[[], Finding]


def ok(found: str, todo: str = "") -> Finding:
    return Finding("ok", found, todo)


def note(found: str, todo: str = "") -> Finding:
    """Result with a limitation."""
    return Finding("note", found, todo)


def wrong(found: str, todo: str = "") -> Finding:
    return Finding("wrong", found, todo)
