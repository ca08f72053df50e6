"""The lessons of the page Learn, one file each, found by discovery, in their order."""

from functools import cache

from ldp_core.errors import named
from ldp_core.lessons.base import LessonPlan, Transfer
from ldp_core.plugins.candidates import built_in, by_order


@cache
def _found() -> dict[str, LessonPlan]:
    return by_order(built_in(__name__, "LESSON", LessonPlan))


def names() -> list[str]:
    return list(_found())


def numbered(name: str) -> str:
    """A lesson's label after its number, from 1."""
    return f"{names().index(name) + 1} {get(name).label}"


def get(name: str) -> LessonPlan:
    return named("the lesson's name", name, _found())
