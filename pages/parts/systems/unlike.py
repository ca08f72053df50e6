"""Settings in which runs differ, in the words of the pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_core.errors import shown
from ldp_core.experiment import Experiment
from pages.parts.systems.changes import flat
from pages.parts.systems.field_words import field_name, value_words
from pages.parts.ui.text import asked_in_words, ranges_in_words

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
