"""The recorded runs, every part of every registry in as few as possible, and their results as figures."""

import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from ldp_core import attacks, datasets, mechanisms, models
from ldp_core.behaviour import own
from ldp_core.contract.registries import REGISTRIES
from ldp_core.datasets import Data
from ldp_core.datasets._downloaded import Downloaded
from ldp_core.experiment import Experiment, parse
from ldp_core.experiment.attack_grid import Ladder, parse_ladder
from ldp_core.experiment.conflicts import LABELLED
from ldp_core.fields import Choice, Whole
from ldp_core.streams import stream
from ldp_core.system.data_folder import data_dir

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
DIGITS = 6
NEAR = 5e-4
"""Difference, relative to a figure or 1, that may be another processor's rounding."""
COUNTED, SHARES = ("accuracy", "identification", "recovered"), 0.01
"""Figures that count samples, and their tolerance: another processor may classify one sample differently."""
CAME_BACK = 40.0
"""PSNR in dB above which differences are rounding."""
NUMBERS = (
    *("accuracy", "loss", "noise_variance", "noise_variance_theory", "signal_variance", "clipped_fraction"),
    *("client_weights", "heterogeneity", "accuracy_per_client", "accuracy_own_mix", "ledger"),
    *("psnr", "ncc", "recovered", "label_recovered", "identified", "identification_credit", "cap"),
)
"""Event fields whose sums are recorded."""
WORDS = ("attacker", "status")

Figures = dict[str, float | str]


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
        whole_run = {"epsilon": [4.0] * 10 + [60.0] * 10, "epsilon_scope": "run", "range": 0.1}
        yield "", {kind: part, "target": "update", "clients": whole_run}
    elif kind == "optimizer":
        yield "", {"local": {kind: part["name"], **STEPS}, "attack": None} | FEW
    elif kind == "model":
        yield "", _trained(part)
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
    return data_of(rest) if kind == "dataset" else found(asked()[name])


def found(one: Experiment | Ladder) -> Figures:
    """Checksums of a run's or an attack grid's final weights and events."""
    import torch

    from ldp_core.federated.state import State
    from ldp_core.leakage.grid import climb
    from ldp_core.simulate import simulate

    last, cpu = list[State](), torch.device("cpu")
    if isinstance(one, Experiment):
        events = simulate(one, _data(one), cpu, keep=last.append)
    else:
        events = climb(one, _data(one.base), cpu)
    totals: Figures = {}
    for event in (event.as_json() for event in events):
        of = [event["event"], *(event.get(name) for name in ("upload", "control", "mechanism"))]
        for field in (*WORDS, *NUMBERS):
            where = " ".join([*filter(None, of), field])
            if field in WORDS and field in event:
                totals[where] = event[field]
            elif numbers := [*_numbers(event.get(field))]:
                most = CAME_BACK if field == "psnr" else math.inf
                totals[where] = float(totals.get(where, 0.0)) + math.fsum(min(each, most) for each in numbers)
    if last:
        weights = np.asarray(last[-1].weights, dtype=np.float64).ravel()
        turns = np.arange(weights.size)
        totals |= {f"weights {n}": float(weights @ np.cos(n * turns)) for n in range(1, 5)}
    return _rounded(totals)


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _numbers(one)
    elif isinstance(value, int | float):
        yield float(value)


def _rounded(figures: Figures) -> Figures:
    return {
        name: one if isinstance(one, str) else float(f"{one:.{DIGITS}g}") for name, one in figures.items()
    }


def _data(experiment: Experiment) -> Data:
    """The experiment's data if shipped, else synthetic data of the same shape; few for convolutions."""
    source, train = experiment.source, max(40, 2 * experiment.clients.count)
    if experiment.dataset in OWN:
        own = source.load(data_dir())
        if experiment.model.batched:
            return own
        return Data(own.train_x[:train], own.train_y[:train], own.test_x[:20], own.test_y[:20], own.classes)
    x = stream(0, "audit").random((train + 20, *source.shape), dtype=np.float32)
    y = np.resize(np.arange(source.classes), len(x))
    return Data(x[:train], y[:train], x[train:], y[train:], source.classes)


def data_of(name: str) -> Figures:
    """Checksums of shipped data; for downloads those of the archives."""
    source = datasets.get(name)
    if isinstance(source, Downloaded):
        return {one.name: one.checksum for one in source.remotes()}
    data, sums = source.load(data_dir()), Figures()
    for part in ("train_x", "train_y", "test_x", "test_y"):
        values = np.asarray(getattr(data, part), dtype=np.float64).ravel()
        sums |= {part: float(values.sum()), f"{part} turned": float(values @ np.cos(np.arange(values.size)))}
    return _rounded(sums)


def differing(known: Figures, now: Figures) -> list[str]:
    """Sentences on recorded results that differ from new ones by more than rounding."""
    fields = dict.fromkeys([*known, *now])
    both = [(field, known.get(field), now.get(field)) for field in fields]
    return [f"{field} was {one} and is {other}" for field, one, other in both if not _near(field, one, other)]


def _near(field: str, one: float | str | None, other: float | str | None) -> bool:
    if not (isinstance(one, int | float) and isinstance(other, int | float)):
        return one == other
    most = SHARES if any(word in field for word in COUNTED) else NEAR
    return abs(one - other) <= most * max(1.0, abs(one), abs(other))
