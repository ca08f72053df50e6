"""Topics of a class, by name: the lessons of *Learn*, the students' own digits, the scenarios."""

from dataclasses import dataclass

from ldp_core import lessons, presets
from ldp_core.errors import UnknownName
from ldp_core.lessons import LessonPlan
from ldp_core.presets.base import Preset

OWN_DIGITS = "own_digits"
"""Name of the topic in which each student is a client with a drawn digit."""
OWN = (
    "Each of you is a client: draw a digit, say how much privacy you want, and train one model together. "
    "Nobody else sees your drawing."
)


@dataclass(frozen=True)
class Topic:
    label: str
    scenario: str = ""
    """Scenario that is predicted and run; "" for the students' own digits."""
    plan: LessonPlan | None = None

    @property
    def preset(self) -> Preset:
        """The topic's scenario; raises `UnknownName` for the students' own digits."""
        return presets.get(self.scenario)

    @property
    def question(self) -> str:
        return self.preset.ask.text if self.scenario else "What does the server learn of you?"

    @property
    def setting(self) -> str:
        if self.plan:
            return self.plan.setting
        return self.preset.question if self.scenario else OWN


def names() -> list[str]:
    """In the order of a class: the drawings come before the last lesson, as in assets/lesson.md."""
    *others, last = lessons.names()
    return [*others, OWN_DIGITS, last, *presets.names()]


def get(name: str) -> Topic:
    """Topic by name; raises `UnknownName`."""
    if name == OWN_DIGITS:
        return Topic("Our own digits")
    if name in lessons.names():
        plan = lessons.get(name)
        return Topic(plan.label, plan.scenario, plan)
    if name in presets.names():
        return Topic(presets.get(name).label, name)
    raise UnknownName("the lesson's or scenario's name", name, names())
