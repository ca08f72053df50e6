"""Result of one check of `doctor`: what was found, and what to do."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

Grade = Literal["ok", "note", "wrong"]


@dataclass(frozen=True)
class Finding:
    grade: Grade
    """"note" for a limitation, "wrong" for a failure."""
    found: str
    todo: str = ""
    """Remedy; "" for none."""


Look = Callable[[], Finding]


ok, note, wrong = (partial(Finding, grade) for grade in get_args(Grade))
