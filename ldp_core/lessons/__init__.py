"""The five lessons of the page Learn."""

from ldp_core.errors import UnknownName
from ldp_core.lessons.base import LessonPlan, Transfer
from ldp_core.lessons.plans import LESSONS


def names() -> list[str]:
    return list(LESSONS)


def get(name: str) -> LessonPlan:
    try:
        return LESSONS[name]
    except KeyError:
        raise UnknownName("the lesson's name", name, LESSONS) from None
