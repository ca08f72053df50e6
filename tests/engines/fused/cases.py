"""What the tests of the fused kernel share: recipes, data and exact plans."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from ldp_core import optimizers
from ldp_core.engines.base import Engine
from ldp_core.engines.per_client import Samples
from ldp_core.engines.plan import Plan, plan_batches
from ldp_core.engines.recipe import Recipe
from ldp_core.models.base import Model
from ldp_core.streams import stream

ALONE, TOGETHER = Engine("processes", 1, "cpu"), Engine("batched", 1, "cpu")


def recipe_of(
    model: Model, shape: tuple[int, ...], classes: int = 10, rate: float = 0.01, by: str = "sgd"
) -> Recipe:
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


def plan_of(sizes: list[int], batch: int, epochs: int = 2, seed: int = 1) -> Plan:
    """Clients of these sizes, one after another."""
    shards = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    return plan_batches(shards, epochs, batch, stream(seed, "batches", 1))


def exact(plan: Plan) -> Plan:
    """The same plan with weights in float64, as mean losses are."""
    lengths = (plan.weights > 0).sum(axis=2, keepdims=True)
    weights: Any = (plan.weights > 0) / np.maximum(lengths, 1)
    return replace(plan, weights=weights)


def reference(recipe: Recipe, start: torch.Tensor, data: Samples, plan: Plan) -> torch.Tensor:
    """By PyTorch: automatic gradients for convolutions, products for the rest."""
    engine = TOGETHER if recipe.model.batched else ALONE
    return engine.train(recipe, start, data, plan)
