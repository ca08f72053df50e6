"""Topics of a class, by name: the lessons of *Learn*, and the scenarios."""

from dataclasses import dataclass, replace
from typing import Any

from ldp_core import lessons, presets
from ldp_core.errors import UnknownName
from ldp_core.experiment import Draft
from ldp_core.lessons import LessonPlan
from ldp_core.lessons.base import Lesson
from ldp_core.presets.base import Preset
from ldp_core.presets.questions import ScenarioQuestion
from ldp_core.runs import outcomes

LESSON_SEEDS = 3
OWN_DIGITS = "own_digits"
"""Name of the topic in which each student is a client with a drawn digit."""


@dataclass(frozen=True)
class Topic:
    label: str
    scenario: str = ""
    """Scenario that is predicted and run; "" for a lesson without one."""
    plan: LessonPlan | None = None

    @property
    def kind(self) -> Lesson:
        return self.plan.kind if self.plan else "scenario"

    @property
    def preset(self) -> Preset:
        """The topic's scenario; raises `UnknownName` where there is none."""
        return presets.get(self.scenario)

    @property
    def draft(self) -> Draft:
        """Runs of a class: of a lesson those that it asks about, with at most LESSON_SEEDS. An attack, which
        takes longer than the training, is made only where the question is about it.
        """
        draft = self.preset.draft
        if self.plan:
            asked = tuple(one for one in draft.variants if one.label in self.ask.of)
            draft = replace(draft, variants=asked, seeds=min(draft.seeds, LESSON_SEEDS))
        return draft if self._asks_of_attacks() else unattacked(draft)

    def _asks_of_attacks(self) -> bool:
        found, unknown = outcomes.stored(self.scenario), dict.fromkeys(("psnr", "alike", "back"))
        blank: dict[str, Any] = {**unknown, "verdict": "", "picked": (0.0, 0, 0.0)}
        return found is None or not self.ask.answers([replace(one, **blank) for one in found.results])

    @property
    def ask(self) -> ScenarioQuestion:
        """Question to the topic's runs; raises `UnknownName` where there is no scenario."""
        return self.plan.ask if self.plan else self.preset.ask

    @property
    def question(self) -> str:
        return self.ask.text if self.scenario or not self.plan else self.plan.question

    @property
    def setting(self) -> str:
        return self.plan.setting if self.plan else self.preset.question


def unattacked(draft: Draft) -> Draft:
    return draft.with_base({"attack": None})


def names() -> list[str]:
    return [*lessons.names(), *presets.names()]


def get(name: str, language: str = lessons.ENGLISH) -> Topic:
    """Topic by name; raises `UnknownName`."""
    if name in lessons.names():
        plan = lessons.get(name, language)
        return Topic(plan.label, plan.scenario, plan)
    if name in presets.names():
        return Topic(presets.get(name).label, name)
    raise UnknownName("the lesson's or scenario's name", name, names())
