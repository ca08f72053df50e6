"""The five lessons of the page Learn."""

from ldp_core.errors import named
from ldp_core.lessons.plans import LESSONS, LessonPlan, Transfer


def names() -> list[str]:
    return list(LESSONS)


def numbered(name: str) -> str:
    """A lesson's label after its number, from 1."""
    return f"{names().index(name) + 1} {get(name).label}"


def get(name: str) -> LessonPlan:
    return named("the lesson's name", name, LESSONS)
