"""What a class can be asked about, by name: the lessons of *Learn*, the room's own digits, the scenarios."""

from __future__ import annotations

from dataclasses import dataclass

from ldp_core import lessons, presets
from ldp_core.errors import UnknownName
from ldp_core.lessons import LessonPlan
from ldp_core.presets.base import Preset

OWN_DIGITS = "own_digits"
"""Each student is a client, with a digit of the own hand."""


@dataclass(frozen=True)
class Topic:
    label: str
    preset: Preset | None
    """What is predicted and run; None for the room's own digits."""
    plan: LessonPlan | None = None

    @property
    def question(self) -> str:
        return self.preset.ask.text if self.preset else "What does the server learn, of all of us and of you?"

    @property
    def setting(self) -> str:
        if self.plan:
            return self.plan.setting
        return self.preset.question if self.preset else "Each of you is a client, with a digit drawn by hand."


def names() -> list[str]:
    return [*lessons.names(), OWN_DIGITS, *presets.names()]


def get(name: str) -> Topic:
    """The topic called so.

    Raises:
        UnknownName: there is none.
    """
    if name == OWN_DIGITS:
        return Topic("Our own digits", None)
    if name in lessons.names():
        plan = lessons.get(name)
        return Topic(plan.label, presets.get(plan.scenario), plan)
    if name in presets.names():
        return Topic(presets.get(name).label, presets.get(name))
    raise UnknownName("the lesson's or scenario's name", name, names())
