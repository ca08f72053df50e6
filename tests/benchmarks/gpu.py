"""What a GPU computes: `python -m tests.benchmarks.gpu`; without a GPU it says so and ends.

- every model, trained for all clients at once there and on the processor: how far apart the weights are;
- every system by name, and every mechanism: the same run on both; noise has the same bits, figures are close;
- a card with little memory left: fewer clients at a time, and the same weights.
"""

import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import torch

from ldp_core import datasets, mechanisms, models, optimizers, systems
from ldp_core.datasets import Data
from ldp_core.engines.batched import train
from ldp_core.engines.plan import Recipe, plan_batches
from ldp_core.events import Ended, RoundDone
from ldp_core.experiment import Experiment, parse
from ldp_core.simulate import simulate
from ldp_core.streams import stream
from tests.benchmarks.crowd import described
from tests.data import digits, mnist_like

CPU, GPU = torch.device("cpu"), torch.device("cuda")
LITTLE = 2.7e9
"""Bytes of the card that are left, where little is: one client of 24 takes 0.8 of them, all of them 18."""


def training(
    name: str, data: Data, shards: list[Any], epochs: int, batch: int, device: torch.device = GPU
) -> Callable[[], torch.Tensor]:
    """What trains all clients from the model's first weights, and gives theirs, each time it is called."""
    model = models.get(name)
    recipe = Recipe(model, data.shape, data.classes, optimizers.get("sgd"), 0.01)
    plan = plan_batches(shards, epochs, batch, stream(0, "batches", 1))
    start = initial(name, data).to(device)
    x, y = (torch.from_numpy(one).to(device) for one in (data.train_x, data.train_y))
    return lambda: train(recipe, start, x, y, plan).cpu()


def initial(name: str, data: Data) -> torch.Tensor:
    found = models.get(name).initial(data.shape, data.classes, stream(0, "initial model"))
    return torch.from_numpy(found)


def both(name: str) -> str:
    """Weights of a model after some steps of ragged clients, on both."""
    model = models.get(name)
    data = mnist_like() if model.fits((28, 28)) else digits()
    if not model.fits(data.shape):
        return "reads neither data set"
    generator = np.random.default_rng(0)
    shards = [generator.choice(len(data.train_y), size, replace=False) for size in (5, 20, 33, 60)]
    here, there = (training(name, data, shards, 2, 20, device)() for device in (CPU, GPU))
    moved, apart = (here - initial(name, data)).abs().max(), (here - there).abs().max()
    return f"moved {float(moved):.2g}, apart {float(apart):.2g}"


@cache
def loaded(name: str) -> Data:
    return datasets.get(name).load(datasets.data_dir())


def run(experiment: Experiment, data: Data, device: torch.device) -> tuple[list[RoundDone], Ended]:
    said = list(simulate(experiment, data, device))
    (ended,) = (one for one in said if isinstance(one, Ended))
    return [one for one in said if isinstance(one, RoundDone)], ended


def runs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every system on its smallest data set, every mechanism on digits."""
    short = {"rounds": 3, "attack": None}
    for name in systems.names():
        yield name, short | {"system": name}
    for name in mechanisms.offered():
        yield name, short | {"mechanism": name}


def same_run(changes: dict[str, Any]) -> str:
    """How far its figures are apart on both."""
    experiment = parse(changes)
    data = loaded(experiment.dataset)
    (here, end), (there, other) = (run(experiment, data, device) for device in (CPU, GPU))
    off = max(abs(a.accuracy - b.accuracy) for a, b in zip(here, there, strict=True))
    noise = max(
        abs(a.noise_variance - b.noise_variance) / max(a.noise_variance, 1e-12)
        for a, b in zip(here, there, strict=True)
    )
    return f"{end.status} and {other.status}; accuracy at most {off:.4f} apart, noise variance {noise:.1e}"


def little_memory() -> str:
    """The same clients with hardly any memory left: as many at a time as fit, and the same weights."""
    train_them = training("resnet18", mnist_like(), np.split(np.arange(24 * 64), 24), 1, 32)
    roomy = train_them()
    torch.cuda.empty_cache()
    most = torch.cuda.get_device_properties(GPU).total_memory
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + LITTLE) / most)
    try:
        tight = train_them()
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    return f"weights at most {float((roomy - tight).abs().max()):.1e} apart"


def main() -> None:
    if not torch.cuda.is_available():
        sys.exit("there is no GPU here")
    name = torch.cuda.get_device_name()
    print(f"{described()}; {name}; torch {torch.__version__}; {time.strftime('%Y-%m-%d')}\n", flush=True)
    print("| what | found |\n|---|---|")
    parts: list[tuple[str, Callable[[], str]]] = [
        *((f"model {one}", partial(both, one)) for one in models.names()),
        *((f"run {one}", partial(same_run, changes)) for one, changes in runs()),
        ("little memory", little_memory),
    ]
    for what, find in parts:
        began = time.perf_counter()
        try:
            result = find()
        except Exception as error:  # the others are worth knowing too
            result = f"{type(error).__name__}: {error}"
        print(f"| {what} | {result} ({time.perf_counter() - began:.1f} s) |", flush=True)


if __name__ == "__main__":
    main()
