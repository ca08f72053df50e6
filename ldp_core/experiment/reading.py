"""Parsing of experiments from JSON; all problems are reported at once."""

import copy
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from ldp_core.component import Component, Registry
from ldp_core.errors import InvalidExperiment, Problem, hint, one_of, shown
from ldp_core.experiment.conflicts import conflicts
from ldp_core.experiment.planning import plan
from ldp_core.experiment.schema import Experiment
from ldp_core.fields import Validated

Path = tuple[int | str, ...]
MOST_PROBLEMS = 100
"""Largest number of problems in one message."""
MOST_OF_A_NAME = 60
"""Largest number of quoted characters of an unknown name."""
TOO_DEEP = Problem("", "an experiment is an object of a few levels, and this one goes far too deep")


def parse(data: Any) -> Experiment:
    """Experiment of a JSON object; missing fields take their defaults. Raises InvalidExperiment: every field
    that is wrong.
    """
    if isinstance(data, Experiment):
        return data
    if not isinstance(data, Mapping):
        raise InvalidExperiment.at("", f"an experiment must be a JSON object; got {shown(data)}")
    try:
        found, problems = _read(data)
        if found is not None and not problems:
            return found
        problems += _hidden_behind(problems, data) if len(problems) <= MOST_PROBLEMS else []
    except RecursionError:
        raise InvalidExperiment([TOO_DEEP]) from None
    raise InvalidExperiment(problems)


def _read(data: Mapping[str, Any]) -> tuple[Experiment | None, list[Problem]]:
    """Experiment of a JSON object, and its problems: of its fields, or else of their combination."""
    try:
        found = Experiment.model_validate(dict(data))
    except ValidationError as error:
        return None, problems_of(error, data)
    return found, _listed(list(conflicts(plan(found))))


def loads(text: str) -> Experiment:
    """Experiment of a JSON text. Raises InvalidExperiment: no JSON, or no valid experiment."""
    return parse(read_json(text))


def read_json(text: str) -> Any:
    """Value of a JSON text; duplicate keys are refused. Raises InvalidExperiment: no JSON, or a key occurs
    twice.
    """
    text = text.removeprefix("\ufeff")  # some editors begin a file with this mark
    try:
        return json.loads(text, object_pairs_hook=_once_each)
    except InvalidExperiment:
        raise
    except (ValueError, RecursionError) as error:
        where = (
            f" at line {error.lineno}, column {error.colno}"
            if isinstance(error, json.JSONDecodeError)
            else ""
        )
        start = shown(text.strip()[:40]) if text.strip() else "nothing"
        message = f"an experiment must be a JSON object, and this is not JSON{where}: it begins with {start}"
        raise InvalidExperiment.at("", message) from None


def unknown(data: Mapping[str, Any], what: str, known: Sequence[str]) -> list[Problem]:
    """Problems of the keys of a JSON object that are none of its `known` ones."""
    extra = (name for name in data if name not in known)
    return [Problem(str(name), f"is not a field of a {what}{hint(name, known)}") for name in extra]


def checked_by(kind: Validated, path: str, value: Any) -> Any:
    """Value of a field that is validated by itself. Raises InvalidExperiment: it is wrong."""
    try:
        return kind.check(value)
    except PydanticCustomError as error:
        raise InvalidExperiment.at(path, error.message()) from None


def typed_changes(pairs: Iterable[str]) -> dict[str, Any]:
    """Changes by field from command-line words such as `rounds=5 mechanism.name=duchi`. Raises
    InvalidExperiment: a word is no pair, or contradicts another.
    """
    changes: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise InvalidExperiment.at("--set", f"takes NAME=VALUE, like rounds=5; got {shown(pair)}")
        undone = next((one for one in changes if one == name or one.startswith(f"{name}.")), None)
        if undone == name:
            raise InvalidExperiment.at(_short(name), "is set twice; which of the two is meant?")
        if undone is not None:
            message = f"is set after {_short(undone)}, which it would undo; set it first"
            raise InvalidExperiment.at(_short(name), message)
        changes[name] = typed(value)
    return changes


def typed(text: str) -> Any:
    """Value of a command-line word: JSON, else the word itself. Raises InvalidExperiment: an object with a
    duplicate key.
    """
    try:
        return json.loads(text, object_pairs_hook=_once_each)
    except InvalidExperiment:
        raise
    except (ValueError, RecursionError):
        return text


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InvalidExperiment.at(_short(name), "stands there twice; which of the two is meant?")
        found[name] = value
    return found


def _short(name: object) -> str:
    text = "".join(c if c.isprintable() else "?" for c in str(name)[: MOST_OF_A_NAME + 1])
    return text if len(text) <= MOST_OF_A_NAME else text[: MOST_OF_A_NAME - 1] + "…"


def problems_of(error: ValidationError, data: Any, root: type[BaseModel] = Experiment) -> list[Problem]:
    """Pydantic's errors on an object of type `root` as this program's sentences."""
    found = []
    for item in error.errors(include_url=False):
        path: Path = item["loc"]
        where = ".".join(map(_short, path))
        if item["type"] == "extra_forbidden":
            known, registry = _known_fields(path[:-1], data, root)
            parts = owners(registry, path[-1])
            meant = hint(path[-1], known) or (f"; it belongs to {one_of(parts)}" if parts else "")
            if root is Experiment and not path[1:]:
                places = by_short(known, Experiment()).get(str(path[0]), [])
                meant = meant or (f"; it could be {one_of(places)}" if places else whose(path[0]))
            message = f"is not a field here (there are {', '.join(sorted(known))}){meant}"
            message = message if where else f"“” {message}"
        elif item["type"] in ("model_type", "model_attributes_type", "dict_type"):
            message = f"must be a JSON object; got {shown(item['input'])}"
        elif item["type"] in ("tuple_type", "list_type"):
            message = f"must be a list; got {shown(item['input'])}"
        elif item["type"] == "missing":
            message = "is missing"
        else:
            message = item["msg"].removeprefix("Value error, ")
            if item["type"] not in ("studio", "value_error"):
                message = f"will not do ({message[0].lower()}{message[1:]}); got {shown(item['input'])}"
        found.append(Problem(where, message))
    return _listed(found)


def _listed(found: list[Problem]) -> list[Problem]:
    """Not too many of the problems, and none of a list some of whose items are refused themselves."""
    above = {q.path[:at] for q in found for at, c in enumerate(q.path) if c == "."}
    found = [p for p in found if p.path not in above]
    more = len(found) - MOST_PROBLEMS
    return found[:MOST_PROBLEMS] + ([Problem("", f"and {more} more are wrong")] if more > 0 else [])


def own_fields(kind: type[BaseModel]) -> dict[str, Any]:
    """Fields of a model class that an experiment's JSON may set, by name."""
    hidden = ("form", *getattr(kind, "known_from_use", ())) if issubclass(kind, Component) else ()
    return {one.alias or name: one for name, one in kind.model_fields.items() if name not in hidden}


def owners(registry: Registry[Any] | None, field: object) -> list[str]:
    if registry is None:
        return []
    return [name for name in registry.names() if field in own_fields(registry.kind(name))]


def by_short(names: Any, experiment: Experiment) -> dict[str, list[str]]:
    """Dotted names of all fields of an experiment, by their last component."""
    found: dict[str, list[str]] = {}
    for name in names:
        for path in _fields(Experiment.model_fields[name], getattr(experiment, name), name):
            found.setdefault(path.rpartition(".")[2], []).append(path)
    return found


def _fields(field: Any, value: Any, path: str) -> Iterator[str]:
    """Dotted names of all fields within a field, at all depths."""
    if part := part_of(field):
        yield f"{path}.{part.key}"
    if not isinstance(value, BaseModel):
        return
    for name, inner in own_fields(type(value)).items():
        yield f"{path}.{name}"
        attribute = next(key for key, one in type(value).model_fields.items() if one is inner)
        yield from _fields(inner, getattr(value, attribute), f"{path}.{name}")


def part_of(field: Any) -> Any:
    metadata = getattr(field, "metadata", ())
    return next((one for one in metadata if isinstance(getattr(one, "registry", None), Registry)), None)


def whose(name: object) -> str:
    """End of a message that names the parts with such a field; "" if there are none."""
    found = []
    for at, field in Experiment.model_fields.items():
        if part := part_of(field):
            found += [f"{at}={one!r}" for one in owners(part.registry, name)]
    return f"; it belongs to {one_of(found)}" if found else ""


def _known_fields(path: Path, data: Any, root: type[BaseModel]) -> tuple[list[str], Registry[Any] | None]:
    kind: Any = root
    for step in path:
        field = getattr(kind, "model_fields", {}).get(step)
        part = part_of(field)
        data = data.get(step) if isinstance(data, Mapping) else None
        if part is not None and isinstance(data, Mapping):
            data = part.named(data)
            return [part.key, *own_fields(part.registry.kind(data[part.key]))], part.registry
        kind = getattr(field, "annotation", None)
    kinds = [one for one in (kind, *get_args(kind)) if isinstance(one, type) and issubclass(one, BaseModel)]
    return list(kinds[0].model_fields) if kinds else [], None


def _hidden_behind(found: list[Problem], data: Mapping[str, Any]) -> list[Problem]:
    """Further problems that pydantic did not check because a field was wrong: those left after the wrong
    fields are reset to their defaults.
    """
    rest = copy.deepcopy(dict(data))
    for problem in found:
        _remove(rest, problem.path.split("."))
    removed = {problem.path.split(".")[0] for problem in found}
    return [p for p in _read(rest)[1] if p.path.split(".")[0] not in removed]


def _remove(data: Any, path: list[str]) -> None:
    if not isinstance(data, dict) or path[0] not in data:
        return
    if len(path) > 1 and isinstance(data[path[0]], dict) and path[1] in data[path[0]]:
        _remove(data[path[0]], path[1:])
    else:
        del data[path[0]]
