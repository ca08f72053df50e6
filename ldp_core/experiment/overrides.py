"""Changes to an experiment by dotted field names: `mechanism.name=duchi`, `clients.epsilon=0.5`.

Models have a measured learning rate and safe range that suit them, and choosing one also sets its rate;
`python -m tests.benchmarks.fitting` writes fitting.json.
"""

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ldp_core import limits
from ldp_core.errors import InvalidExperiment, shown
from ldp_core.experiment.filling import OF_RECORDS, merged, units
from ldp_core.experiment.reading import parse
from ldp_core.experiment.schema import LATER, UNSAID, Experiment

NAMING = ("name", "kind")
SHORT = ("features", "model", "optimizer", "attack", "attacker", "system")
"""Fields whose JSON may be a bare name."""
RANGE = {"clients.range": ("low", "high"), "clients.low": ("range",), "clients.high": ("range",)}
FILE = Path(__file__).with_name("fitting.json")
RATE, MODEL = "local.learning_rate", "model.name"


def changed(experiment: Experiment, changes: Mapping[str, Any]) -> Experiment:
    """A copy of an experiment with some fields set. Choosing another part (`mechanism.name`) drops the old
    part's parameters, and setting one kind of range drops the other; fields set by the same call are kept.
    Choosing a system, or other data under a system, sets the system's fields, and another unit its own.
    Raises InvalidExperiment: the result cannot run, or a field is unknown.
    """
    data = copy.deepcopy({name: LATER[name] for name in UNSAID}) | experiment.as_json()
    data["local"].setdefault("clip", None)
    # names first, so that parameters set beside them are not dropped again
    order = sorted(changes, key=lambda p: p.split(".")[-1] not in NAMING)
    chosen = [path for path in order if _chooses(path)]
    for path in chosen:
        _assign(data, path, changes[path])
    if (unit := changes.get("unit", experiment.unit)) != experiment.unit:
        data["local"]["clip"] = None
        data = merged(data, OF_RECORDS) if unit == "record" else data
    if chosen:
        _refill(data, experiment, changes.get("dataset"))
    for path in order:
        if path not in chosen:
            _assign(data, path, changes[path])
    return parse(data)


def amended(data: Any, changes: Mapping[str, Any]) -> Experiment:
    """Experiment of a JSON object with some fields set, and the fields of a system that is chosen."""
    if isinstance(data, Mapping) and any(path.split(".")[0] == "system" for path in changes):
        data = {**data, "system": copy.deepcopy(data.get("system"))}
        early = [path for path in changes if _chooses(path)]
        for path in sorted(early, key=lambda p: p.split(".")[-1] not in NAMING):
            _assign(data, path, changes[path])
        changes = {path: value for path, value in changes.items() if path not in early}
    return changed(parse(data), changes)


def _chooses(path: str) -> bool:
    return path.split(".")[0] in ("system", "dataset")


def _refill(data: dict[str, Any], before: Experiment, dataset: Any) -> None:
    """Set the system's fields where the user chose nothing: unset ones, and those of the previous system."""
    if data.get("system") is None:
        return
    old = before.system
    stays = dataset is None and old is not None
    asked = {"dataset": before.dataset if stays else dataset} if stays or dataset is not None else {}
    new = parse({"system": data["system"], **asked})
    if new.system == old and new.dataset == before.dataset:
        return
    theirs = parse({"system": before.as_json()["system"], "dataset": before.dataset}).as_json() if old else {}
    sets = new.as_json()
    for path in units(new.system.fill(new.dataset)) if new.system else []:
        if not old or at(data, path) == at(theirs, path):
            _assign(data, path, at(sets, path))


def _assign(data: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = path.split(".")
    place = data
    for step in parents:
        if isinstance(place.get(step), str) and step in SHORT:
            place[step] = {} if step == "attack" else {"name": place[step]}  # written out from its short form
        if place.get(step) is None and step in ("attack", "system"):
            place[step] = {}
        if not isinstance(place.get(step), dict):
            raise InvalidExperiment.at(path, f"is not a field of an experiment; got {shown(value)}")
        place = place[step]
    if last in NAMING and parents and place.get(last) != value:
        place.clear()
    for other in RANGE.get(path, ()) if value is not None else ():
        place.pop(other, None)
    place[last] = value


def at(data: Any, path: str) -> Any:
    """Value at a dotted name within JSON objects; None where there is none."""
    for step in path.split("."):
        data = data.get(step) if isinstance(data, Mapping) else None
    return data


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
