"""Resolution of short field names to an experiment."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from ldp_core.component import Component, Registry
from ldp_core.errors import InvalidExperiment, Problem, hint, one_of, shown
from ldp_core.experiment import Experiment, amended, parse
from ldp_core.experiment.reading import own_fields, owners

TOP = Experiment.model_fields


def asked(base: Any, settings: Mapping[str, Any], fields: Mapping[str, Any]) -> Experiment:
    """Experiment `base` with `settings` (dotted names) and `fields` (short names). Raises InvalidExperiment:
    a name is unknown or ambiguous, or a value is wrong.
    """
    whole = {name: value for name, value in fields.items() if name in TOP}
    dotted = whole | dict(settings) | {name: value for name, value in fields.items() if "." in name}
    short = {name: value for name, value in fields.items() if name not in dotted}
    twice = [name for name in settings if name in fields]
    changes = {name: _plain(name, value) for name, value in dotted.items()}
    start = {} if base is None else base
    # what the chosen parts have in common with all others is named first: the rest depends on it
    fixed = _by_short(("clients", "local"), parse({}))
    early = {fixed[name][0]: _plain(name, short[name]) for name in short if len(fixed.get(name, ())) == 1}
    chosen = amended(start, changes | early)
    known, wrong = _by_short(TOP, chosen), list[Problem]()
    for name, value in short.items():
        paths = known.get(name, [])
        if len(paths) == 1:
            twice += [path for path in paths if path in changes]
            changes[paths[0]] = _plain(name, value)
        elif paths:
            message = f"could be {one_of(paths)}; write settings={{{paths[0]!r}: …}}"
            wrong.append(Problem(name, message))
        else:
            wrong.append(Problem(name, f"is not a field here{_whose(name) or hint(name, [*TOP, *known])}"))
    wrong += [Problem(name, "is set twice; which of the two is meant?") for name in twice]
    if wrong:
        raise InvalidExperiment(wrong)
    return amended(start, changes)


def _by_short(names: Any, experiment: Experiment) -> dict[str, list[str]]:
    """Dotted names of all fields of an experiment, by their last component."""
    found: dict[str, list[str]] = {}
    for name in names:
        for path in _fields(TOP[name], getattr(experiment, name), name):
            found.setdefault(path.rpartition(".")[2], []).append(path)
    return found


def _fields(field: Any, value: Any, path: str) -> Iterator[str]:
    """Dotted names of all fields within a field, at all depths."""
    if part := _part(field):
        yield f"{path}.{part.key}"
    if not isinstance(value, BaseModel):
        return
    for name, inner in own_fields(type(value)).items():
        yield f"{path}.{name}"
        attribute = next(key for key, one in type(value).model_fields.items() if one is inner)
        yield from _fields(inner, getattr(value, attribute), f"{path}.{name}")


def _part(field: Any) -> Any:
    metadata = getattr(field, "metadata", ())
    return next((one for one in metadata if isinstance(getattr(one, "registry", None), Registry)), None)


def _whose(name: str) -> str:
    """End of a message that names the parts with such a field; "" if there are none."""
    found = []
    for at, field in TOP.items():
        if part := _part(field):
            found += [f"{at}={one!r}" for one in owners(part.registry, name)]
    return f"; it belongs to {one_of(found)}" if found else ""


def _plain(path: str, value: Any) -> Any:
    """JSON value of a Python value: numpy's numbers and arrays as Python's, a part by name and parameters."""
    if isinstance(value, Mapping):
        return {name: _plain("", one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain("", one) for one in value]
    if isinstance(value, Component):
        return _described(path, value)
    if isinstance(value, str) and (part := _part(TOP.get(path))):
        return {part.key: value}
    return value.tolist() if hasattr(value, "tolist") else value


def _described(path: str, value: Component) -> Any:
    part = _part(TOP.get(path))
    if getattr(value, "form", "corrected") != "corrected":
        message = f"takes no form; write form={shown(getattr(value, 'form', None))} beside {value.name!r}"
        raise InvalidExperiment.at(path, message)
    registered = part is not None and part.registry.holds(type(value))
    return {part.key: value.name, **value.parameters()} if registered else value
