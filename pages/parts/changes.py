"""What differs between the settings of a run and those of the draft, in the words of the page's fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ldp_core import aggregators, datasets, mechanisms, models, optimizers, partitions, selections
from ldp_core.component import Registry
from pages.parts.text import number

FIELDS = {
    "clients.count": "clients",
    "clients.epsilon": "budgets",
    "clients.epsilon_scope": "what a budget covers",
    "clients.low": "safe ranges",
    "clients.high": "safe ranges",
    "clients.range": "safe ranges",
    "clients.run_limit": "limits of a run",
    "dataset": "data",
    "partition": "how it is split",
    "selection": "who takes part",
    "target": "what is sent",
    "form": "as printed or corrected",
    "variants": "what is compared",
    "seed": "first seed",
    "attack.rounds_observed": "uploads seen",
}
"""By dotted path, where its last part is not the word itself."""
LABELS: dict[str, Registry[Any]] = {
    "dataset": datasets.registry,
    "model": models.registry,
    "mechanism": mechanisms.registry,
    "aggregator": aggregators.registry,
    "local.optimizer": optimizers.registry,
    "partition": partitions.registry,
    "selection": selections.registry,
}
MOST = 3


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What has changed from one draft (as JSON data) to the other, in a few words; "" if nothing has."""
    old, new = _flat(before), _flat(now)
    paths = [path for path in dict.fromkeys([*old, *new]) if old.get(path) != new.get(path)]
    words = list(dict.fromkeys(_said(path, old.get(path), new.get(path)) for path in paths))
    return ", ".join(words[:MOST]) + (f" and {len(words) - MOST} more" if len(words) > MOST else "")


def _flat(value: Any, path: str = "") -> dict[str, Any]:
    """A draft's fields by dotted path, without its name; a component's own name stands at its path."""
    if not isinstance(value, Mapping):
        return {path: value}
    found: dict[str, Any] = {}
    for key, item in value.items():
        inner = key if path in ("", "base") else f"{path}.{key}"
        if inner != "name":
            found |= _flat(item, path if key in ("name", "kind") else inner)
    return found


def _said(path: str, old: Any, new: Any) -> str:
    name = FIELDS.get(path, path.rsplit(".", 1)[-1].replace("_", " "))
    if any(isinstance(value, list | Mapping) for value in (old, new)):
        return name
    return f"{name} {_value(path, old)} → {_value(path, new)}"


def _value(path: str, value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value, 9)
    known = LABELS[path].labels() if path in LABELS else {}
    return str(known.get(value, str(value).replace("_", " ")))
