"""Results of recorded runs and data sets as figures, and their comparison."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ldp_core import datasets
from ldp_core.behaviour import own
from ldp_core.behaviour.runs import OWN, asked
from ldp_core.datasets import Data
from ldp_core.datasets._downloaded import Downloaded
from ldp_core.experiment import Experiment
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.streams import stream
from ldp_core.system.data_folder import data_dir

DIGITS = 6
NEAR = 2e-4
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
