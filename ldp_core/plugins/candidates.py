"""Discovery and validation of plug-ins, installed or in the folder; a reason for each that is left out."""

import hashlib
import importlib
import importlib.util
import inspect
import logging
import pkgutil
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from ldp_core.errors import InvalidInput, StudioError, on_one_line
from ldp_core.fields import Checked, Choice, Number, Whole
from ldp_core.plugins import folder
from ldp_core.system.private_files import changeable

T = TypeVar("T")
LIMITED = (Number, Whole, Choice, Checked)


class HasOrder(Protocol):
    @property
    def order(self) -> int: ...


Ordered = TypeVar("Ordered", bound=HasOrder)
DIGITS = 12
OWN = "ldp_core."
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True)
class Candidate:
    """A possible plug-in, not imported yet."""

    name: str
    origin: str
    """Distribution and version, or file below the folder."""
    load: Callable[[], Any]
    """Imports the named module or object; raises whatever the import raises."""

    def version(self, kind: type[Any]) -> str:
        """Origin of the plug-in, with a digest of its source file."""
        content = Path(inspect.getfile(kind)).read_bytes()
        return f"{self.origin} {hashlib.sha256(content).hexdigest()[:DIGITS]}"


def built_in(package: str, attribute: str, kind: type[T]) -> dict[str, T]:
    """Built-in parts of a kind, by the names of the package's modules."""
    found = {}
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__):
        part = getattr(importlib.import_module(f"{package}.{info.name}"), attribute, None)
        if isinstance(part, kind):
            found[info.name] = part
    return found


def by_order(found: Mapping[str, Ordered]) -> dict[str, Ordered]:
    return dict(sorted(found.items(), key=lambda item: item[1].order))


def outside(
    package: str,
    admitted: Callable[[Candidate], T],
    refused: dict[str, str],
    known: Collection[str],
    each: Iterable[Candidate] | None = None,
) -> dict[str, T]:
    """Plug-ins of a package of this program, such as `ldp_core.mechanisms`, which is also the group of entry
    points, and whose last part names the subfolder; or of the candidates `each`. `refused` receives, by name,
    why one that is not `admitted` is left out.
    """
    found: dict[str, T] = {}
    for one in _candidates(package) if each is None else each:
        try:
            _refuse_name(one.name, known, found)
            found[one.name] = admitted(one)
        except (Exception, SystemExit) as error:  # whatever the code of others does as it is imported
            why = str(error) if isinstance(error, StudioError) else f"{type(error).__name__}: {error}"
            refused[one.name] = on_one_line(f"{one.name} of {one.origin} is left out: {why}")
            logging.getLogger(__name__).warning("%s: %s", package, refused[one.name])
    return found


def _refuse_name(name: str, known: Collection[str], found: Collection[str]) -> None:
    if not NAME.fullmatch(name):
        raise InvalidInput("its name must be small letters, digits and _, 40 at most: rename it")
    if name in known:
        raise InvalidInput("the program has a part of that name: rename it")
    if name in found:
        raise InvalidInput("another distribution or file has a part of that name: rename it, or remove one")


def _candidates(package: str) -> list[Candidate]:
    found = [Candidate(one.name, _origin(one), one.load) for one in _installed().select(group=package)]
    kind = package.removeprefix(OWN)
    for place in folder.__path__:
        for info in pkgutil.iter_modules([str(Path(place) / kind)]):
            if not info.name.startswith("_"):
                load = partial(_imported, Path(place) / kind, f"{folder.__name__}.{kind}.{info.name}")
                found.append(Candidate(info.name, f"{kind}/{info.name}.py", load))
    return sorted(found, key=lambda one: (one.name, one.origin))


def _imported(place: Path, name: str) -> Any:
    """The module of a file in the folder, unless another user could have written it, what it has beside it as
    a package, or its compiled form, which Python prefers.
    """
    last = name.rpartition(".")[2]
    package = place / last
    refuse_changeable(
        *place.glob(f"{last}.*"), *place.glob(f"__pycache__/{last}.*"), package, *package.rglob("*")
    )
    return importlib.import_module(name)


def refuse_changeable(*files: Path) -> None:
    """Refuse files that are to be run and that another user could have written."""
    if why := next(filter(None, (changeable(file) for file in files if file.exists())), ""):
        raise InvalidInput(f"{why}, and would run programs as this one (chown or chmod it)")


def folders(package: str) -> list[Candidate]:
    """Candidates that are folders, which load as their path: an entry point names a package; nothing in it is
    imported.
    """
    every = _installed().select(group=package)
    found = [Candidate(one.name, _origin(one), partial(_place, one)) for one in every]
    kind = package.removeprefix(OWN)
    for place in (Path(one) / kind for one in folder.__path__):
        for each in sorted(place.iterdir()) if place.is_dir() else ():
            if each.is_dir() and each.name[0] not in "._":
                found.append(Candidate(each.name, f"{kind}/{each.name}", partial(Path, each)))
    return sorted(found, key=lambda one: (one.name, one.origin))


def _origin(one: EntryPoint) -> str:
    return f"{one.dist.name} {one.dist.version}" if one.dist else one.value


def _place(one: EntryPoint) -> Path:
    first, *rest = one.value.split(".")
    spec = importlib.util.find_spec(first)
    if spec is None or not spec.submodule_search_locations:
        raise InvalidInput(f"no package is called {first}")
    return Path(next(iter(spec.submodule_search_locations)), *rest)


def unread(packages: Collection[str]) -> list[str]:
    """Modules in subfolders of the folder that belong to none of these packages: no one looks there."""
    kinds = {package.removeprefix(OWN) for package in packages}
    every = (file for place in folder.__path__ for file in sorted(Path(place).glob("*/*.py")))
    return [f"{file.parent.name}/{file.name}" for file in every if file.parent.name not in kinds]


@cache
def _installed() -> EntryPoints:
    found: Any = entry_points()
    return found


def part_in(loaded: Any, base: type[Any]) -> type[Any]:
    """Class of a plug-in: the loaded object, or the only class with a label in a loaded module. Raises
    InvalidInput: there is none, or there are several.
    """
    if not inspect.ismodule(loaded):
        if not isinstance(loaded, type) or not issubclass(loaded, base):
            raise InvalidInput(f"it is no class derived from {base.__module__}.{base.__name__}")
        return loaded
    found = labelled(loaded, base)
    if len(found) != 1:
        named = ", ".join(one.__name__ for one in found) or "none"
        raise InvalidInput(
            f"its module must hold one class with a label that is derived from {base.__module__}."
            f"{base.__name__}; it holds {named}"
        )
    return found[0]


def labelled(module: Any, base: type[Any]) -> list[type[Any]]:
    """Parts that a module defines; shared base classes have no label."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, base)
        and value.__module__ == module.__name__
        and "label" in vars(value)
    ]


def refuse_unfit(kind: type[Any]) -> None:
    """Refuse a class that cannot be registered. Raises InvalidInput: what is wrong, and what to do."""
    for word in ("label", "summary"):
        if not isinstance(getattr(kind, word, None), str):
            raise InvalidInput(f"it has no {word}: give the class one, for the pages")
    if missing := kind.lacking():
        raise InvalidInput(f"it lacks {', '.join(missing)}: define what its base class asks for")
    for field, about in kind.model_fields.items():
        if not any(isinstance(one, LIMITED) for one in about.metadata):
            raise InvalidInput(
                f"its parameter {field} has no limits: annotate it with a Number, Whole, Choice or Checked "
                "of ldp_core.fields, from which pages draw it"
            )
    try:
        kind()
    except ValidationError as error:
        field = ".".join(map(str, error.errors()[0]["loc"]))
        raise InvalidInput(f"its parameter {field} has no default that will do: give it one") from None
