"""Settings in which runs, or two drafts, differ, in the words of the pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_core import models
from ldp_core.errors import shown
from ldp_core.experiment import Experiment
from pages.parts.systems.field_words import field_name, value_words
from pages.parts.ui.text import asked_in_words, few, ranges_in_words

RANGES = ("clients.low", "clients.high", "clients.range")
WATCHES = "the attack"
"""Name of the attack among the fields; it does not affect training."""
PAIRED = ("dataset", "partition", "model", "clients.count")
"""Fields that decide whether runs of one seed share data, partition, initial model and batches."""


@dataclass(frozen=True)
class Field:
    path: str
    name: str
    values: tuple[str, ...]
    """Value of each run in words."""

    @property
    def noun(self) -> str:
        """The name, where it is a clause in quotation marks."""
        clause = self.name.startswith(("how ", "what ", "who ", "one "))
        return f"“{self.name}”" if clause else f"the {self.name.removeprefix('the ')}"


def unlike(experiments: Sequence[Experiment]) -> list[Field]:
    """Fields in which experiments differ but for seeds and names: a part with its parameters, and populations
    only if they are unequal, however written.
    """
    flats = [flat({**one.as_json(), "seed": 0}) for one in experiments]
    every = dict.fromkeys(path for one in flats for path in one)
    paths = [path for path in every if len({shown(each.get(path), 10**6) for each in flats}) > 1]
    found: dict[str, Field] = {}
    for path in [path for path in paths if path.rpartition(".")[0] not in paths]:
        if path.split(".")[0] == "attack":
            found[WATCHES] = Field("attack", WATCHES, tuple(map(_attack, experiments)))
        elif path in RANGES:
            if not _alike([np.stack(one.clients.bounds()) for one in experiments]):
                found["safe ranges"] = Field("clients.range", "safe ranges", tuple(map(_ranges, experiments)))
        elif path == "clients.epsilon":
            if not _alike([one.clients.budgets() for one in experiments]):
                found["budgets"] = Field(path, "budgets", tuple(map(_budgets, experiments)))
        else:
            name = field_name(path, next(one for one in flats if path in one))
            values = tuple(_value(path, one[path]) if path in one else "–" for one in flats)
            found.setdefault(name, Field(path, name, values))
    return list(found.values())


def causes(fields: Sequence[Field]) -> list[Field]:
    return [field for field in fields if field.name != WATCHES]


def share_their_luck(fields: Sequence[Field]) -> bool:
    """True if runs of one seed have the same data and initial model."""
    return not any(
        field.path in PAIRED or field.path.startswith(("partition.", "model.")) for field in fields
    )


def _alike(arrays: Sequence[np.ndarray]) -> bool:
    return all(np.array_equal(arrays[0], one) for one in arrays[1:])


def _attack(one: Experiment) -> str:
    return shown(one.as_json()["attack"], 60)


def _ranges(one: Experiment) -> str:
    low, high = one.clients.bounds()
    return ranges_in_words(low.tolist(), high.tolist()).removeprefix("safe range ").removeprefix("safe ")


def _budgets(one: Experiment) -> str:
    return asked_in_words([one])[0]


def _value(path: str, value: Any) -> str:
    return shown(value) if isinstance(value, list | dict) else value_words(path, value)


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
