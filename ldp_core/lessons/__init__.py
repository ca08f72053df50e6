"""The five lessons of *Learn*, one file each, found by discovery: a path through the scenarios."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ldp_core.errors import UnknownName
from ldp_core.lessons.base import LessonPlan, Transfer


@cache
def _found() -> dict[str, LessonPlan]:
    found = {}
    for info in pkgutil.iter_modules(__path__):
        plan = getattr(importlib.import_module(f"{__name__}.{info.name}"), "LESSON", None)
        if isinstance(plan, LessonPlan):
            found[info.name] = plan
    return dict(sorted(found.items(), key=lambda item: item[1].order))


def names() -> list[str]:
    return list(_found())


def get(name: str) -> LessonPlan:
    try:
        return _found()[name]
    except KeyError:
        raise UnknownName("the lesson's name", name, _found()) from None
