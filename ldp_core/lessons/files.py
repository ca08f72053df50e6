"""Lessons and their translations, read from files `NAME.toml` and `NAME.LANGUAGE.toml`.

Those of the house lie here, others in the subfolder `lessons` of EPSILON_PARTS_DIR. The sentences of a
class's pages stand in `classroom_words.en.toml`, and by language beside it.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from string import Formatter
from typing import Any, TypeVar

from pydantic import ValidationError

from ldp_core import presets
from ldp_core.errors import InvalidInput, StudioError
from ldp_core.lessons.base import LessonPlan, Translation
from ldp_core.papers.base import TomlTable
from ldp_core.plugins import folder
from ldp_core.plugins.candidates import Candidate, by_order, outside

HOUSE = Path(__file__).parent
WORDS = "classroom_words"
W = TypeVar("W", bound=TomlTable)


class PageWords(TomlTable):
    """Sentences of the pages of a class, by their keys in `classroom_words.en.toml`."""

    words: dict[str, str]


def lessons(refused: dict[str, str]) -> dict[str, LessonPlan]:
    """Lessons of the house in their order, and those from outside among them; `refused` receives why one is
    left out.
    """
    house = {file.stem: _plan(file) for file in _files(HOUSE) if "." not in file.stem}
    each = [one for one in _outside() if "." not in one.name]
    return by_order(house | outside("ldp_core.lessons", lambda one: _plan(one.load()), refused, house, each))


def translations(refused: dict[str, str]) -> dict[str, Translation | PageWords]:
    """Translations by `NAME.LANGUAGE`; those from outside add to the house's."""
    found: dict[str, Translation | PageWords] = {
        file.stem: _translation(file) for file in _files(HOUSE) if "." in file.stem
    }
    for one in _outside():
        if "." in one.name:
            try:
                own, house = _translation(one.load()), found.get(one.name)
                if isinstance(own, PageWords) and isinstance(house, PageWords):
                    own = PageWords(words=house.words | own.words)
                found[one.name] = own
            except StudioError as error:
                refused[one.name] = f"{one.name} of {one.origin} is left out: {error}"
    return found


def _files(place: Path) -> list[Path]:
    return sorted(place.glob("*.toml"))


def _outside() -> list[Candidate]:
    places = [file for one in folder.__path__ for file in _files(Path(one) / "lessons")]
    return [Candidate(file.stem, f"lessons/{file.name}", partial(Path, file)) for file in places]


def _translation(file: Path) -> Translation | PageWords:
    language = file.stem.partition(".")[2]
    if not re.fullmatch(r"[a-z]{2}", language):
        raise InvalidInput(f"{file.name}: {language} is no language of two small letters")
    if file.stem.startswith(f"{WORDS}."):
        return _read(file, PageWords)
    return _read(file, Translation)


def _plan(file: Path) -> LessonPlan:
    plan, text = _read(file, LessonPlan), file.read_text(encoding="utf-8")

    def refuse(field: str, why: str) -> None:
        raise InvalidInput(f"{file.name}, line {_line(text, [field])}: {field}: {why}")

    if plan.kind == "scenario" and plan.scenario not in presets.names():
        refuse("scenario", f"no scenario is called “{plan.scenario}”")
    if (plan.kind != "scenario" or plan.which) and not plan.question:
        refuse("which" if plan.which else "kind", "such a lesson needs a question")
    runs = [label for label, _ in presets.get(plan.scenario).variants] if plan.scenario else []
    if unknown := [label for label in plan.which if label not in runs]:
        refuse("which", f"{plan.scenario} has no run “{unknown[0]}”")
    return plan.model_copy(update={"name": file.stem})


def _read(file: Path, kind: type[W]) -> W:
    """Raises InvalidInput with file and line: it is missing or malformed."""
    try:
        text = file.read_text(encoding="utf-8")
        found = kind.model_validate(_joined(tomllib.loads(text)))
        for key, words in getattr(found, "words", {}).items():
            _refuse_unlike(key, words, _english(kind is PageWords), f"{file.name}, line {_line(text, [key])}")
        return found
    except (OSError, UnicodeError) as error:
        raise InvalidInput(f"{file.name} cannot be read ({error})") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{file.name} is no TOML: {error}") from None
    except ValidationError as error:
        one = min(error.errors(), key=lambda each: each["type"] == "missing")
        place = [str(part) for part in one["loc"]]
        why = {"extra_forbidden": "no field has that name", "missing": "it is missing"}
        said = f"{'.'.join(place)}: {why.get(one['type'], one['msg'])}"
        raise InvalidInput(f"{file.name}, line {_line(text, place[::-1])}: {said}") from None


@cache
def _english(of_pages: bool) -> Mapping[str, str]:
    """English sentences of the pages of a class, or else of the coin."""
    file = HOUSE / ("classroom_words.en.toml" if of_pages else "one_bit.toml")
    found: Mapping[str, str] = _joined(tomllib.loads(file.read_text(encoding="utf-8")))["words"]
    return found


def _refuse_unlike(key: str, words: str, english: Mapping[str, str], place: str) -> None:
    """Raises InvalidInput for a sentence that no page says, or into which other things are put."""
    if key not in english:
        raise InvalidInput(f"{place}: no sentence is called {key}")
    try:
        other = _put_in(words) - _put_in(english[key])
    except ValueError:
        other = {"a single brace"}
    if other:
        raise InvalidInput(f"{place}: {key}: {min(other)} cannot be put into it")


def _put_in(words: str) -> set[str]:
    """What is put into a sentence, and how it is written there."""
    return {f"{{{name}:{how}}}".replace(":}", "}") for _, name, how, _ in Formatter().parse(words) if name}


def _joined(given: Any) -> Any:
    """Texts of several lines become one."""
    if isinstance(given, Mapping):
        return {key: _joined(value) for key, value in given.items()}
    return " ".join(given.split()) if isinstance(given, str) else given


def _line(text: str, fields: list[str]) -> int:
    """Line of the first of the fields that is there."""
    lines = text.splitlines()
    for field in fields:
        for number, line in enumerate(lines, 1):
            if re.search(rf'^[\["]*(?:\w+\.)*{re.escape(field)}(?!\w)', line):
                return number
    return 1
