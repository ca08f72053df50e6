"""The five lessons of the page Learn."""

from ldp_core.errors import named
from ldp_core.lessons.base import LessonPlan, Transfer
from ldp_core.lessons.plans import LESSONS


def names() -> list[str]:
    return list(LESSONS)


def get(name: str) -> LessonPlan:
    return named("the lesson's name", name, LESSONS)
