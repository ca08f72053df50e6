"""Differences between two drafts, in the words of the pages' fields."""

from collections.abc import Mapping
from typing import Any

from ldp_core import models
from pages.parts.systems.field_words import field_name, value_words
from pages.parts.ui.text import few


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Changes between two drafts (as JSON) in a few words; "" if none."""
    return few(differing(before, now))


def differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Every change in words, each once."""
    old, new = flat(before), flat(now)
    paths = {path: None for path in [*old, *new] if old.get(path) != new.get(path)}
    # what belongs to a part goes with it: another one has other parameters
    alone = [path for path in paths if path.rpartition(".")[0] not in paths]
    return list(dict.fromkeys(_said(path, old, new) for path in alone))


def flat(value: Any, path: str = "") -> dict[str, Any]:
    """A draft's fields by dotted path, without its name; a part's name is at the part's path."""
    if not isinstance(value, Mapping):
        return {path: value}
    found: dict[str, Any] = {}
    for key, item in value.items():
        inner = key if path in ("", "base") else f"{path}.{key}"
        item = models.title_of({key: item}) if inner == "model.layers" else item
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
