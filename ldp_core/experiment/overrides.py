"""Changing an experiment by dotted names: `mechanism.name=duchi`, `clients.epsilon=0.5`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ldp_core.errors import InvalidExperiment, Problem, shown
from ldp_core.experiment.reading import parse
from ldp_core.experiment.schema import Experiment

NAMING = ("name", "kind")
RANGE = {"clients.range": ("low", "high"), "clients.low": ("range",), "clients.high": ("range",)}


def changed(experiment: Experiment, changes: Mapping[str, Any]) -> Experiment:
    """A copy with some fields set.

    Choosing another component (`mechanism.name`) drops the parameters of the old one, and setting
    one kind of range drops the other; whatever else the same call sets is kept.

    Raises:
        InvalidExperiment: the result cannot run, or a name leads nowhere.
    """
    data = experiment.as_json()
    # names first, so that parameters set beside them are not dropped again
    for path in sorted(changes, key=lambda p: p.split(".")[-1] not in NAMING):
        _assign(data, path, changes[path])
    return parse(data)


def _assign(data: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = path.split(".")
    place = data
    for step in parents:
        if isinstance(place.get(step), str) and step in ("model", "optimizer", "attack"):
            place[step] = {} if step == "attack" else {"name": place[step]}  # written out from its short form
        if place.get(step) is None and step == "attack":
            place[step] = {}
        if not isinstance(place.get(step), dict):
            raise InvalidExperiment([Problem(path, f"is not a field of an experiment; got {shown(value)}")])
        place = place[step]
    if last in NAMING and parents and place.get(last) != value:
        place.clear()
    for other in RANGE.get(path, ()) if value is not None else ():
        place.pop(other, None)
    place[last] = value
