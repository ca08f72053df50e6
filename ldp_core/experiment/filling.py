"""Defaults that a system (`ldp_core.systems`) sets for an experiment's fields."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from ldp_core import datasets, models, systems
from ldp_core.component import Part
from ldp_core.errors import DataUnavailable, UnknownName
from ldp_core.limits import BATCH_SIZE, NORM

KEYS = ("name", "kind")
"""Keys of a part's name in JSON; other keys of the same object are the part's parameters."""
GROUPS = ("clients", "local")
"""JSON objects that group fields and name no part."""


OF_RECORDS: Mapping[str, Any] = {
    "target": "update",
    "mechanism": {"name": "gaussian"},
    "clients": {"epsilon_scope": "run"},
    "local": {
        "optimizer": {"name": "sgd"},
        "epochs": 1,
        "batch_size": int(BATCH_SIZE.maximum),
        "clip": NORM.default,
    },
}
"""Fields where ε is a record's, unless given: one step on all that a client holds."""


def filled(data: Any) -> Any:
    """JSON fields of an experiment, completed by those that its system sets. An invalid system is left for
    the field's own validation.
    """
    if not isinstance(data, Mapping):
        return data
    data = _with_its_output(_with_its_clients(data))
    if data.get("unit") == "record":
        data = merged(OF_RECORDS, data)
    if data.get("system") is None:
        return data
    try:
        system = Part(systems.registry, "name").check(data["system"])
    except (ValidationError, ValueError):
        return data
    if not isinstance(system, systems.System):
        return data
    asked = data.get("dataset")
    return merged(system.fill(asked if datasets.registry.holds(asked) else None), data)


def _with_its_clients(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Experiment fields with the data set's own partition and number of clients, unless given."""
    given = data.get("clients", {})
    if "partition" in data or not str(data.get("dataset", "")).startswith(datasets.BROUGHT):
        return data
    with suppress(UnknownName, DataUnavailable):
        own = datasets.get(data["dataset"]).clients
        if own and isinstance(given, Mapping) and given.get("count", own) == own:
            return {**data, "partition": {"kind": "as_given"}, "clients": {"count": own, **given}}
    return data


def _with_its_output(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Experiment fields whose last listed layer says its activation, unless that is an open question."""
    model = data.get("model")
    if not isinstance(model, Mapping) or "layers" not in model:
        return data
    with suppress(ValueError, UnknownName, DataUnavailable):  # which the fields' own validation says
        own = Part(models.registry, "name").check(model)
        return {**data, "model": own.decided(datasets.get(data.get("dataset", "digits")).classes)}
    return data


def units(sets: Mapping[str, Any]) -> list[str]:
    """Names of the fields that a system sets; a part counts together with its parameters."""
    return [
        f"{key}.{own}" if key in GROUPS else key
        for key, value in sets.items()
        for own in (value if key in GROUPS else [key])
    ]


def merged(sets: Any, given: Any) -> Any:
    """Given fields over a system's, object by object; a part of another name starts from its own defaults."""
    if isinstance(given, str) and isinstance(sets, Mapping):
        return sets if any(sets.get(key) == given for key in KEYS) else given
    if not isinstance(sets, Mapping) or not isinstance(given, Mapping):
        return given
    if any(key in given and key in sets and given[key] != sets[key] for key in KEYS):
        return given
    if {"low", "high"} & set(given):  # two ends are given: a half-width beside them would contradict them
        sets = {key: value for key, value in sets.items() if key != "range"}
    return {
        key: merged(sets[key], value) if key in sets and key in given else value
        for key, value in {**sets, **given}.items()
    }
