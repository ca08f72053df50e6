"""The lessons of *Learn* and *Class*, one file each, found by discovery, in their order; `coin` is the law of
the first.
"""

from functools import cache

from ldp_core.errors import named
from ldp_core.lessons import files
from ldp_core.lessons.base import LessonPlan, Transfer, Translation

ENGLISH = "en"
refused = dict[str, str]()
"""Why a file was left out, by name; complete after discovery."""


@cache
def _found() -> dict[str, LessonPlan]:
    return files.lessons(refused)


@cache
def _translated() -> dict[str, Translation | files.PageWords]:
    return files.translations(refused)


def names() -> list[str]:
    return list(_found())


def languages() -> list[str]:
    """Languages in which there is any text, English first."""
    return [ENGLISH, *sorted({name.partition(".")[2] for name in _translated()} - {ENGLISH})]


def numbered(name: str, language: str = ENGLISH) -> str:
    """A lesson's label after its number, from 0."""
    return f"{names().index(name)} {get(name, language).label}"


@cache
def get(name: str, language: str = ENGLISH) -> LessonPlan:
    """Lesson by name, with those of its texts that are there in a language."""
    plan = named("the lesson's name", name, _found(), refused.get(name, ""))
    found = _translated().get(f"{name}.{language}")
    own = found if isinstance(found, Translation) else Translation()
    shared = get(plan.kind, language).words if plan.kind == "one_bit" != name else {}
    texts = {field: text for field in Translation.model_fields if (text := getattr(own, field)) is not None}
    joined = {name: getattr(plan, name) | getattr(own, name) for name in ("words", "wrong", "options")}
    joined["words"] = shared | joined["words"]
    return plan.model_copy(update=texts | joined)


def said(key: str, language: str = ENGLISH, /, **given: object) -> str:
    """A sentence of a class's pages in a language, or in English."""
    own = [_translated().get(f"{files.WORDS}.{one}") for one in (language, ENGLISH)]
    return next(one.words[key] for one in own if one and key in one.words).format(**given)
