"""Measured learning rate and safe range that suit each model; choosing a model also sets its rate.

`python -m tests.benchmarks.fitting` writes the figures to fitting.json.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ldp_core import limits
from ldp_core.experiment.schema import Experiment

FILE = Path(__file__).with_name("fitting.json")
RATE, MODEL = "local.learning_rate", "model.name"


@dataclass(frozen=True)
class Fit:
    rate: float
    """Learning rate of SGD with the best final accuracy of those tried."""
    half: float | None
    """Half-width of the narrowest safe range that costs at most one percentage point; None if none does."""
    accuracy: float
    """Final accuracy with this rate without noise, in [0, 1]."""
    where: str
    """Data set and date of the measurement."""


@cache
def fit_of(model: str) -> Fit | None:
    """Measured fit of a model; None if unmeasured, or if the model learns at none of the tried rates."""
    table = json.loads(FILE.read_text(encoding="utf-8"))
    for data in ("digits", "mnist"):
        if one := table[data].get(model):
            where = f"{data}, without noise, {table['date']}"
            return Fit(one["rate"], one["range"], one["accuracy"], where)
    return None


def with_fit(base: Experiment, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes, with the measured learning rate if they choose another model. A rate that the user has set
    stays: one that is neither the default nor the fit of the previous model.
    """
    name = changes.get(MODEL)
    if name is None or name == base.model.name or RATE in changes:
        return dict(changes)
    own, fit = fit_of(base.model.name), fit_of(str(name))
    usual = {limits.LEARNING_RATE.default, *([own.rate] if own else [])}
    if fit is None or base.local.learning_rate not in usual:
        return dict(changes)
    return {**changes, RATE: fit.rate}
