"""Resolution of short field names to an experiment."""

from collections.abc import Mapping
from typing import Any

from ldp_core.component import Component
from ldp_core.errors import InvalidExperiment, Problem, hint, one_of, shown
from ldp_core.experiment import Experiment, amended, parse
from ldp_core.experiment.reading import by_short, part_of, whose

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
    fixed = by_short(("clients", "local"), parse({}))
    early = {fixed[name][0]: _plain(name, short[name]) for name in short if len(fixed.get(name, ())) == 1}
    chosen = amended(start, changes | early)
    known, wrong = by_short(TOP, chosen), list[Problem]()
    for name, value in short.items():
        paths = known.get(name, [])
        if len(paths) == 1:
            twice += [path for path in paths if path in changes]
            changes[paths[0]] = _plain(name, value)
        elif paths:
            message = f"could be {one_of(paths)}; write settings={{{paths[0]!r}: …}}"
            wrong.append(Problem(name, message))
        else:
            wrong.append(Problem(name, f"is not a field here{whose(name) or hint(name, [*TOP, *known])}"))
    wrong += [Problem(name, "is set twice; which of the two is meant?") for name in twice]
    if wrong:
        raise InvalidExperiment(wrong)
    return amended(start, changes)


def _plain(path: str, value: Any) -> Any:
    """JSON value of a Python value: numpy's numbers and arrays as Python's, a part by name and parameters."""
    if isinstance(value, Mapping):
        return {name: _plain("", one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain("", one) for one in value]
    if isinstance(value, Component):
        return _described(path, value)
    if isinstance(value, str) and (part := part_of(TOP.get(path))):
        return {part.key: value}
    return value.tolist() if hasattr(value, "tolist") else value


def _described(path: str, value: Component) -> Any:
    part = part_of(TOP.get(path))
    if getattr(value, "form", "corrected") != "corrected":
        message = f"takes no form; write form={shown(getattr(value, 'form', None))} beside {value.name!r}"
        raise InvalidExperiment.at(path, message)
    registered = part is not None and part.registry.holds(type(value))
    return {part.key: value.name, **value.parameters()} if registered else value
