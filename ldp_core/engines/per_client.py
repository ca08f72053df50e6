"""Training of one client in a process of the pool, on one thread, with the same bits on any machine."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ldp_core.engines.plan import Indices, Plan, Recipe

Samples = tuple[Tensor, Tensor, Tensor]
"""Training samples, training labels and test samples."""


@dataclass(frozen=True)
class Training:
    """Task: train one client; the result is its weights (d,)."""

    recipe: Recipe
    start: NDArray[np.float32]
    batches: list[Indices]

    def __call__(self, samples: Samples) -> NDArray[np.float32]:
        return train_alone(self.recipe, self.start, samples[0], samples[1], self.batches)


@dataclass(frozen=True)
class Scoring:
    """Task: score a slice of the test samples; the result is (n, classes)."""

    recipe: Recipe
    weights: NDArray[np.float32]
    stretch: slice

    def __call__(self, samples: Samples) -> NDArray[np.float32]:
        return scores_alone(self.recipe, self.weights, samples[2][self.stretch])


def batches_of(plan: Plan, row: int) -> list[Indices]:
    """The batches of one row of a plan, without padding."""
    steps = sum(active > row for active in plan.active)
    lengths = (plan.weights[:steps, row] > 0).sum(axis=1)
    return [plan.samples[t, row, :length] for t, length in enumerate(lengths)]


def train_alone(
    recipe: Recipe, start: NDArray[np.float32], x: Tensor, y: Tensor, batches: list[Indices]
) -> NDArray[np.float32]:
    """Weights (d,) of one client after training from `start` (d,). All parameters are views of one vector and
    all gradients of another, so a step is one operation.
    """
    weights = torch.from_numpy(start).clone()
    gradient = torch.zeros_like(weights)
    memory = [torch.zeros_like(weights) for _ in range(recipe.optimizer.memories)]
    leaves = {name: view.requires_grad_() for name, view in _views(recipe, weights).items()}
    for leaf, view in zip(leaves.values(), _views(recipe, gradient).values(), strict=True):
        leaf.grad = view  # backward adds to it in place
    for number, batch in enumerate(batches, start=1):
        chosen = torch.from_numpy(batch)
        gradient.zero_()
        scores = recipe.model.scores(leaves, x[chosen])
        torch.autograd.backward(torch.nn.functional.cross_entropy(scores, y[chosen]))
        recipe.optimizer.step(weights, gradient, memory, number, recipe.learning_rate)
    trained: NDArray[np.float32] = weights.numpy()
    return trained


def scores_alone(recipe: Recipe, weights: NDArray[np.float32], x: Tensor) -> NDArray[np.float32]:
    """Scores (n, classes) of one model with `weights` (d,) on samples x (n, *shape)."""
    with torch.no_grad():
        found = recipe.model.scores(_views(recipe, torch.from_numpy(weights)), x)
    scores: NDArray[np.float32] = found.numpy()
    return scores


def _views(recipe: Recipe, vector: Tensor) -> dict[str, Tensor]:
    views = recipe.model.views(vector.unsqueeze(0), recipe.shape, recipe.classes)
    return {name: view[0].detach() for name, view in views.items()}
