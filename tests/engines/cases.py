"""What the tests of engines share: recipes, data, plans, and a run that does not end."""

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from ldp_core import models, optimizers
from ldp_core.engines.base import Engine
from ldp_core.engines.batched import Samples
from ldp_core.engines.plan import Batches, Recipe, plan_batches
from ldp_core.models.base import Model
from ldp_core.streams import stream
from tests.models.modules import SMALL

TOGETHER, ALONE, TWO = Engine("batched", 1, "cpu"), *(Engine("batched", n, "cpu", each=True) for n in (1, 2))
SIZES = [47, 20, 33, 1, 60]
"""Samples of ragged clients: with batches of 20, most end an epoch with a short one."""


def recipe_of(
    model: Model | str, shape: tuple[int, ...], classes: int = 10, rate: float = 0.01, by: str = "sgd"
) -> Recipe:
    if isinstance(model, str):
        model = models.get(model, **SMALL.get(model, {}))
    return Recipe(model, shape, classes, optimizers.get(by), rate)


def start_of(recipe: Recipe, kind: torch.dtype = torch.float32, seed: int = 1) -> torch.Tensor:
    weights = recipe.model.initial(recipe.shape, recipe.classes, stream(seed, "initial model"))
    return torch.from_numpy(weights).to(kind)


def samples_of(recipe: Recipe, count: int, kind: torch.dtype = torch.float32, seed: int = 0) -> Samples:
    """Half the pixels empty, so that maxima tie all over; the last fifty are held out."""
    generator = np.random.default_rng(seed)
    x = generator.random((count + 50, *recipe.shape)).astype(np.float32)
    x *= generator.random(x.shape) < 0.5
    y = torch.from_numpy(generator.integers(0, recipe.classes, count))
    images = torch.from_numpy(x).to(kind)
    return images[:count], y, images[count:]


def plan_of(sizes: list[int], batch: int, epochs: int = 2, seed: int = 1) -> Batches:
    """Clients of these sizes, one after another."""
    shards = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    return plan_batches(shards, epochs, batch, stream(seed, "batches", 1))


def exact(plan: Batches) -> Batches:
    """The same plan with weights in float64, as mean losses are."""
    lengths = (plan.weights > 0).sum(axis=2, keepdims=True)
    weights: Any = (plan.weights > 0) / np.maximum(lengths, 1)
    return replace(plan, weights=weights)


def reference(recipe: Recipe, start: torch.Tensor, data: Samples, plan: Batches) -> torch.Tensor:
    """By PyTorch: automatic gradients for convolutions, products for the rest."""
    engine = TOGETHER if recipe.model.batched else ALONE
    return engine.train(recipe, start, data, plan)


ENDLESS = """
import signal, sys, threading
sys.path.insert(0, sys.argv[1])
import numpy as np
import torch
from ldp_core.datasets import Data
from ldp_core.experiment import parse
from ldp_core.simulate import simulate

class Stopped(BaseException):
    pass

def stop(*_):
    raise Stopped

signal.signal(signal.SIGTERM, stop)  # as the training process does
torch.set_num_threads(1)
x = np.tile(np.random.default_rng(0).random((600, 28, 28)).astype(np.float32), (40, 1, 1))
y = np.arange(24000) % 10
long = {"dataset": "mnist", "model": "cnn", "attack": None, "clients": {"count": 4, "epsilon": 1},
        "local": {"epochs": 100, "batch_size": 20, "learning_rate": 0.0001}}
data = Data(x, y, x[:50], y[:50], 10)
try:
    for event in simulate(parse(long), data, tick=lambda share: print("tick", flush=True)):
        print(event.as_json().get("engine"), flush=True)
except Stopped:
    print("stopped with", threading.active_count(), flush=True)
"""
"""A run whose rounds take a quarter of a minute or more, on made-up images; how many threads it leaves."""
