"""Names of a draft's fields and values on pages."""

from collections.abc import Mapping
from typing import Any

from ldp_core import aggregators, datasets, mechanisms, models, optimizers, partitions, selections, systems
from ldp_core.component import Registry
from ldp_core.experiment import EPSILON_MODES, RANGE_MODES
from ldp_core.trust import registry as trusts
from pages.parts.ui.meanings import FIELDS, SCOPES
from pages.parts.ui.text import number

FORMS = {"corrected": "corrected", "as_printed": "as printed"}
SENT = {"weights": "the weights", "update": "what changed", "class_means": "class means"}
PARTS: dict[str, Registry[Any]] = {
    "model": models.registry,
    "mechanism": mechanisms.registry,
    "aggregator": aggregators.registry,
    "local.optimizer": optimizers.registry,
    "partition": partitions.registry,
    "selection": selections.registry,
    "system": systems.registry,
    "trust": trusts,
}
WORDS: dict[str, Mapping[str, str]] = {
    "clients.epsilon": {name: mode.label for name, mode in EPSILON_MODES.items()},
    "clients.range": {name: mode.label for name, mode in RANGE_MODES.items()},
    "clients.epsilon_scope": SCOPES,
    "target": SENT,
    "form": FORMS,
}
SAME = {"clients.epsilon": "ε {} for all", "clients.range": "±{} for all", "clients.run_limit": "ε {}"}
"""Text for a single number for all clients, by field."""


def field_name(path: str, new: Mapping[str, Any]) -> str:
    """Name of a field, by its path as in `flat`."""
    part, _, last = path.rpartition(".")
    if path not in FIELDS and part in PARTS and part in new:
        fields = PARTS[part].kind(new[part]).model_fields.items()
        words = {field.alias or name: field.description for name, field in fields}.get(last)
        return words.split(",")[0].split(":")[0] if words else last
    return FIELDS.get(path, last.replace("_", " "))


def value_words(path: str, value: Any) -> str:
    """Text of a field's value."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return SAME.get(path, "{}").format(number(value, 9))
    registry = datasets.registry if path == "dataset" else PARTS.get(path)
    known = registry.labels() if registry else WORDS.get(path, {})
    return known.get(value, str(value).replace("_", " "))
