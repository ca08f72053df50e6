"""A lesson: a scenario to predict, where to look, one field to change, and a question on another setting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Transfer:
    """A question on another setting that the lesson's rule answers."""

    text: str
    options: tuple[str, ...]
    right: str
    why: str


@dataclass(frozen=True)
class LessonPlan:
    order: int
    label: str
    scenario: str
    """Its question is what is predicted, and its stored runs answer it."""
    setting: str
    """Two sentences before the question."""
    look: str
    """Where in the picture it happens."""
    free: str
    """The field that may be changed afterwards, by its dotted name."""
    transfer: Transfer
    figure: Literal["", "releases", "leak"] = ""
    """A picture of its own: the releases that a budget covers, or leaks against variance."""
