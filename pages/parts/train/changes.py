"""What differs between the settings of a run and those of the draft, in the words of the page's fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ldp_core import aggregators, datasets, mechanisms, models, optimizers, partitions, selections
from ldp_core.component import Registry
from ldp_core.experiment import EPSILON_MODES, RANGE_MODES
from pages.parts.clients.fills import SCOPES
from pages.parts.noise.designs import FORMS
from pages.parts.train.choices import SENT
from pages.parts.ui.meanings import FIELDS
from pages.parts.ui.text import few, number

PARTS: dict[str, Registry[Any]] = {
    "model": models.registry,
    "mechanism": mechanisms.registry,
    "aggregator": aggregators.registry,
    "local.optimizer": optimizers.registry,
    "partition": partitions.registry,
    "selection": selections.registry,
}
WORDS: dict[str, Mapping[str, str]] = {
    "clients.epsilon": {name: mode.label for name, mode in EPSILON_MODES.items()},
    "clients.range": {name: mode.label for name, mode in RANGE_MODES.items()},
    "clients.epsilon_scope": SCOPES,
    "target": SENT,
    "form": FORMS,
}
SAME = {"clients.epsilon": "ε {} for all", "clients.range": "±{} for all", "clients.run_limit": "ε {}"}
"""How a single number of all clients reads."""


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What has changed from one draft (as JSON data) to the other, in a few words; "" if nothing has."""
    return few(differing(before, now))


def differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Every change in words, each once."""
    old, new = flat(before), flat(now)
    paths = {path: None for path in [*old, *new] if old.get(path) != new.get(path)}
    # what belongs to a part goes with it: another one has other parameters
    alone = [path for path in paths if path.rpartition(".")[0] not in paths]
    return list(dict.fromkeys(_said(path, old, new) for path in alone))


def flat(value: Any, path: str = "") -> dict[str, Any]:
    """A draft's fields by dotted path, without its name; a component's own name stands at its path."""
    if not isinstance(value, Mapping):
        return {path: value}
    found: dict[str, Any] = {}
    for key, item in value.items():
        inner = key if path in ("", "base") else f"{path}.{key}"
        if inner != "name":
            found |= flat(item, path if key in ("name", "kind") else inner)
    return found


def _said(path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    if path.split(".")[0] == "attack":
        return "the attack"
    values = [flat[path] for flat in (old, new) if path in flat]
    if len(values) == 1 or any(isinstance(value, list | Mapping) for value in values):
        return field_name(path, new)
    return f"{field_name(path, new)} {value_words(path, values[0])} → {value_words(path, values[1])}"


def field_name(path: str, new: Mapping[str, Any]) -> str:
    """What the page calls a field of a draft as `flat` has it; a part's parameters are named by the part."""
    part, _, last = path.rpartition(".")
    if path not in FIELDS and part in PARTS and part in new:
        fields = PARTS[part].kind(new[part]).model_fields.items()
        told = {field.alias or name: field.description for name, field in fields}.get(last)
        return told.split(",")[0] if told else last
    return FIELDS.get(path, last.replace("_", " "))


def value_words(path: str, value: Any) -> str:
    """How a field's value reads."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return SAME.get(path, "{}").format(number(value, 9))
    registry = datasets.registry if path == "dataset" else PARTS.get(path)
    known = registry.labels() if registry else WORDS.get(path, {})
    return known.get(value, str(value).replace("_", " "))
