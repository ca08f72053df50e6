"""A short run of every part of every registry and of both engines, and its results as a few numbers.

`python -m tests.behaviour.table` records them, where one has changed after raising
`ldp_core.behaviour.VERSION`.
"""

import json
import math
import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from ldp_core import attacks, datasets, mechanisms, models
from ldp_core.behaviour import VERSION
from ldp_core.component import Registry
from ldp_core.contract.registries import REGISTRIES
from ldp_core.datasets import Data
from ldp_core.datasets._downloaded import Downloaded
from ldp_core.experiment import Experiment, parse, plan
from ldp_core.experiment.attack_grid import Ladder, parse_ladder
from ldp_core.experiment.conflicts import LABELLED
from ldp_core.federated.state import State
from ldp_core.fields import Choice, Whole
from ldp_core.leakage.grid import climb
from ldp_core.simulate import simulate
from ldp_core.streams import stream
from ldp_core.system.data_folder import data_dir
from ldp_core.system.json_file import read_json

OWN = ("digits", "mnist_sample")
"""Data sets shipped with the program or its libraries."""
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "update": {"target": "update"},
    "budget of an upload": {"clients": {"epsilon": 200.0, "epsilon_scope": "upload"}},
    "limit of a run": {"clients": {"run_limit": 1000.0}},
    "ranges": {"clients": {"range": "tau1"}},
    "both kinds of upload": {"attack": {"uploads": "both", "rounds_observed": 3}},
}
"""Recorded settings that are parts of no registry."""
STEPS: dict[str, Any] = {"epochs": 1, "batch_size": 400}
"""Local training with two or three steps; more would amplify rounding differences."""
FEW: dict[str, Any] = {"clients": {"count": 3, "epsilon": 8}, "rounds": 1}
WHOLE_RUN = {"epsilon": [4.0] * 10 + [60.0] * 10, "epsilon_scope": "run", "range": 0.1}
DIGITS = 6
NEAR = 5e-4
"""Difference, relative to a figure or 1, that may be another processor's rounding."""
EXACT = 1e-7
"""The same of the ledger, which no training enters."""
CAME_BACK = 40.0
"""PSNR in dB above which differences are rounding."""
SUMS: Mapping[str, tuple[str, ...]] = {
    "loss": ("loss",),
    "noise": ("noise_variance", "noise_variance_theory", "signal_variance", "clipped_fraction"),
    "weighing": ("client_weights", "heterogeneity"),
    "ledger": ("ledger",),
    "attack": ("psnr", "ncc", "recovered", "label_recovered", "identification_credit", "cap"),
}
"""Recorded sums over a run's events, by their fields; of large numbers about the logarithms."""
ENGINES = {
    "engine fused": "auto",
    "engine batched": "batched",
    "engine batched, one client a thread": "batched",
}
"""EPSILON_ENGINE of the runs that record the engines."""
RECORDED = Path(__file__).with_name("results.json")

Figures = dict[str, list[float] | float | str]


@cache
def asked() -> dict[str, Experiment | Ladder]:
    """Recorded experiments and attack grids, by purpose."""
    changes = {f"setting {name}": dict(one) for name, one in SETTINGS.items()}
    for kind, registry in REGISTRIES.items():
        for name in own(registry):
            for words, part in _choices(kind, name):
                for said, one in _with(kind, part):
                    changes[f"{kind} {name}{words}{said}"] = one
    found: dict[str, Experiment | Ladder] = {
        name: parse({"rounds": 2} | one) for name, one in changes.items() if one
    }
    small = {
        "dataset": "mnist_sample",
        "model": {"layers": "conv 4 3, dense 9 sigmoid"},
        "attack": None,
    } | FEW
    found |= dict.fromkeys(("engine fused", "engine batched"), parse({"attack": None, "rounds": 2}))
    found["engine batched, one client a thread"] = parse(small)
    ladder = {"images": 2, "epsilons": [1.0, 8.0], "round": 2}
    return found | {f"ladder {kind}": parse_ladder(ladder | {"upload": kind}) for kind in ("audit", "real")}


def _choices(kind: str, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """A part with its defaults, then with each other option of its parameters."""
    key = "kind" if kind in ("partition", "selection", "trust") else "name"
    yield "", {key: name}
    for field, about in REGISTRIES[kind].kind(name).model_fields.items():
        for choice in about.metadata:
            for word in choice.words if isinstance(choice, Choice) else ():
                if word != about.default:
                    yield f", {field} {word}", {key: name, field: word}


def _with(kind: str, part: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Experiments that record a part of this kind."""
    if kind in ("mechanism", "system"):
        forms = mechanisms.get(part["name"]).forms if kind == "mechanism" else ("corrected", "as_printed")
        more: dict[str, Any] = {"local": STEPS} if kind == "system" else {}
        labelled = kind == "mechanism" and mechanisms.get(part["name"]).labelled
        more |= LABELLED if labelled else {}
        quick = len(part) == 1 and not labelled and parse({kind: part}).model.batched
        for form in forms if len(part) == 1 else forms[:1]:
            yield f", {form}", {kind: part, "form": form, "attack": "auto" if quick else None} | more
    elif kind in ("aggregator", "features", "partition", "selection"):
        yield "", {kind: part, "attack": None}
    elif kind == "trust":
        yield "", {kind: part, "target": "update", "clients": WHOLE_RUN}
    elif kind == "optimizer":
        yield "", {"local": {kind: part["name"], **STEPS}, "attack": None} | FEW
    elif kind == "model":
        yield "", _trained(part)
    elif kind == "server":
        attack = {"uploads": "real", "server": part["name"], "clients": [1]}
        in_sum = {"trust": "secure_sum", "target": "update", "local": STEPS}
        yield "", {"model": "mlp", "attack": attack} | FEW | in_sum | {"clients": WHOLE_RUN}
    elif kind == "attacker" and part["name"] in attacks.reconstructors():
        yield "", _attacked(part)


def _trained(model: dict[str, Any]) -> dict[str, Any]:
    """Model with its smallest sizes, if it has over a million weights."""
    kind = models.get(model["name"])
    where = next(one for one in (*OWN, *datasets.names()) if kind.fits(datasets.get(one).shape))
    source = datasets.get(where)
    if kind.dimension(source.shape, source.classes) > 10**6:
        sizes = ((field, one) for field, about in type(kind).model_fields.items() for one in about.metadata)
        model = model | {field: int(one.limit.minimum) for field, one in sizes if isinstance(one, Whole)}
    return {"dataset": where, "model": model, "local": STEPS, "attack": None} | FEW


def _attacked(attacker: dict[str, Any]) -> dict[str, Any]:
    """Settings of a recorded run with one attack; searching attackers get a convolutional network."""
    source, name = datasets.get("digits"), attacker["name"]
    searches = "iterations" in attacks.registry.kind(name).model_fields

    def able(model: str) -> bool:
        kind = models.get(model)
        return kind.fits(source.shape) and not attacks.unfit(kind, source.shape, source.classes, name)

    model = min(filter(able, models.names()), key=lambda one: (models.get(one).batched == searches, one))
    attack = {"attacker": attacker | ({"iterations": 1} if searches else {}), "clients": [1]}
    return {"model": model, "attack": attack} | FEW


def names() -> list[str]:
    return [*asked(), *(f"dataset {name}" for name in own(datasets.registry))]


def measured(name: str) -> Figures:
    kind, _, rest = name.partition(" ")
    with patch.dict(os.environ, {"EPSILON_ENGINE": ENGINES.get(name, "auto"), "EPSILON_SLOT_CORES": "1"}):
        return data_of(rest) if kind == "dataset" else found(asked()[name])


def found(one: Experiment | Ladder) -> Figures:
    last, cpu = list[State](), torch.device("cpu")
    if isinstance(one, Experiment):
        events = [*simulate(one, _data(one), cpu, keep=last.append)]
    else:
        events = [*climb(one, _data(one.base), cpu)]
    bodies = [event.as_json() for event in events]
    totals: Figures = {}
    for group, of in SUMS.items():
        numbers = [_compressed(n, field) for b in bodies for field in of for n in _numbers(b.get(field))]
        if any(numbers):
            totals[group] = _short(math.fsum(numbers), 9 if group == "ledger" else DIGITS)
    if words := {str(body["attacker"]) for body in bodies if "attacker" in body}:
        totals["attackers"] = " ".join(sorted(words))
    if last:
        weights = np.asarray(last[-1].weights, dtype=np.float64).ravel()
        turns = np.arange(weights.size)
        totals["weights"] = [_short(weights @ np.cos(n * turns)) for n in range(1, 4)]
    return totals


def _compressed(number: float, field: str) -> float:
    number = min(number, CAME_BACK) if field == "psnr" else number
    return math.asinh(1e4 * number if field.endswith("variance") else number)


def _short(number: Any, digits: int = DIGITS) -> float:
    return float(f"{number:.{digits}g}")


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _numbers(one)
    elif isinstance(value, int | float):
        yield float(value)


def _data(experiment: Experiment) -> Data:
    """The experiment's data if shipped, else synthetic data of the same shape; few for convolutions."""
    source, train = plan(experiment).source, max(40, 2 * experiment.clients.count)
    if experiment.dataset in OWN:
        own = source.load(data_dir())
        if experiment.model.batched:
            return own
        return Data(own.train_x[:train], own.train_y[:train], own.test_x[:20], own.test_y[:20], own.classes)
    x = stream(0, "audit").random((train + 20, *source.shape), dtype=np.float32)
    y = np.resize(np.arange(source.classes), len(x))
    return Data(x[:train], y[:train], x[train:], y[train:], source.classes)


def data_of(name: str) -> Figures:
    """Checksums of shipped data; for downloads the beginnings of the archives' ones."""
    source = datasets.get(name)
    if isinstance(source, Downloaded):
        return {"archives": " ".join(one.checksum[:16] for one in source.remotes())}
    data, sums = source.load(data_dir()), list[float]()
    for part in ("train_x", "train_y", "test_x", "test_y"):
        values = np.asarray(getattr(data, part), dtype=np.float64).ravel()
        sums.append(_short(values @ np.cos(np.arange(values.size))))
    return {"data": sums}


def differing(known: Figures, now: Figures) -> list[str]:
    """Recorded results that differ from new ones by more than rounding, in words."""
    each = [(name, known.get(name), now.get(name)) for name in dict.fromkeys([*known, *now])]
    return [
        f"{name} was {one} and is {other}"
        for name, one, other in each
        if not _near(one, other, EXACT if name == "ledger" else NEAR)
    ]


def _near(one: Any, other: Any, most: float) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_near(a, b, most) for a, b in zip(one, other, strict=True))
    if not isinstance(one, float) or not isinstance(other, float):
        return bool(one == other)
    return abs(one - other) <= most * max(1.0, abs(one))


def own(registry: Registry[Any]) -> list[str]:
    """Names of the built-in parts; no plug-ins and no folders of images."""
    return [name for name in registry.names() if not registry.kind(name).plugin and ":" not in name]


def record(table: Mapping[str, Any], now: Mapping[str, Figures]) -> dict[str, Any]:
    """The table with new results, unchanged ones with their digits; ValueError if VERSION was not raised."""
    known = table["results"]
    alike = {name for name in known.keys() & now.keys() if not differing(known[name], now[name])}
    if (changed := sorted(known.keys() & now.keys() - alike)) and table["version"] == VERSION:
        raise ValueError(f"{', '.join(changed)}: raise ldp_core.behaviour.VERSION first")
    return {"version": VERSION, "results": {n: known[n] if n in alike else now[n] for n in sorted(now)}}


if __name__ == "__main__":
    recorded = record(read_json(RECORDED), {name: measured(name) for name in names()})
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in recorded["results"].items())
    RECORDED.write_text(f'{{"version": {VERSION}, "results": {{\n{lines}\n}}}}\n', encoding="utf-8")
