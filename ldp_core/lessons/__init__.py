"""The five lessons of the page Learn, one file each, found by discovery."""

from __future__ import annotations

from functools import cache

from ldp_core.errors import UnknownName
from ldp_core.lessons.base import LessonPlan, Transfer
from ldp_core.plugins.candidates import built_in, by_order


@cache
def _found() -> dict[str, LessonPlan]:
    return by_order(built_in(__name__, "LESSON", LessonPlan))


def names() -> list[str]:
    return list(_found())


def get(name: str) -> LessonPlan:
    try:
        return _found()[name]
    except KeyError:
        raise UnknownName("the lesson's name", name, _found()) from None
