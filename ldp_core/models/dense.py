"""Fully connected networks with ReLU, with explicit gradients.

A step on all clients is two batched products per layer: several times faster than automatic differentiation
at these sizes, where the overhead of calls dominates.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ldp_core.models.base import Model, Shape

if TYPE_CHECKING:
    from torch import Tensor

    from ldp_core.models._recorded import Recorded
    from ldp_core.models.base import Tensors


class Dense(Model):
    """Layers `weight1`, `bias1`, `weight2`, …; closed-form attacks read the first."""

    @abstractmethod
    def hidden_widths(self) -> tuple[int, ...]: ...

    def parameter_shapes(self, shape: Shape, classes: int) -> dict[str, Shape]:
        widths = (int(np.prod(shape)), *self.hidden_widths(), classes)
        shapes: dict[str, Shape] = {}
        for i, (fan_in, fan_out) in enumerate(pairwise(widths), start=1):
            shapes[f"weight{i}"] = (fan_out, fan_in)
            shapes[f"bias{i}"] = (fan_out,)
        return shapes

    def initial(self, shape: Shape, classes: int, generator: np.random.Generator) -> NDArray[np.float32]:
        """Uniform in ±1/√fan-in for weights and biases, as torch.nn.Linear."""
        parts = []
        for s in self.slices(shape, classes):
            if s.name.startswith("weight"):
                bound = 1 / np.sqrt(s.shape[1])
            parts.append(generator.uniform(-bound, bound, s.stop - s.start))
        return np.concatenate(parts).astype(np.float32)

    def logits(self, parameters: Tensors, x: Tensor) -> Tensor:
        return self.activated(parameters, x)[-1]

    def recorded(self, tape: Recorded, x: Tensor) -> Tensor:
        layers, x = len(self.hidden_widths()) + 1, x.flatten(1)
        for i in range(1, layers + 1):
            z = tape.product(x, f"weight{i}", f"bias{i}")
            x = tape.relu(z) if i < layers else z
        return x

    def gradients(self, parameters: Tensors, x: Tensor, y: Tensor, weight: Tensor) -> Tensors:
        activations = self.activated(parameters, x)
        return self.backwards(parameters, activations, slopes(activations[-1], y, weight))[0]

    def lengths(self, parameters: Tensors, x: Tensor, y: Tensor) -> Tensor:
        activations = self.activated(parameters, x)
        delta, square = slopes(activations[-1], y, x.new_ones(y.shape)), x.new_zeros(())
        for i in range(len(activations) - 1, 0, -1):
            below = activations[i - 1]  # a layer's gradient is an outer product
            square = square + delta.square().sum(-1) * (below.square().sum(-1) + 1)
            if i > 1:
                delta = (delta @ parameters[f"weight{i}"]) * (below > 0)
        return square.sqrt()

    def backwards(
        self, parameters: Tensors, activations: list[Tensor], delta: Tensor
    ) -> tuple[Tensors, Tensor]:
        """Gradients of a loss with slopes `delta` (K, B, classes) by the logits, from the result of
        `activated`; and slopes by the first layer's outputs before ReLU, (K, B, units).
        """
        gradients = {}
        for i in range(len(activations) - 1, 0, -1):
            below = activations[i - 1]
            gradients[f"weight{i}"] = delta.transpose(1, 2) @ below
            gradients[f"bias{i}"] = delta.sum(1)
            if i > 1:
                delta = (delta @ parameters[f"weight{i}"]) * (below > 0)
        return gradients, delta

    def activated(self, parameters: Tensors, x: Tensor) -> list[Tensor]:
        """Input, each hidden layer after ReLU, and logits."""
        layers = len(self.hidden_widths()) + 1
        activations = [x.flatten(2)]
        for i in range(1, layers + 1):
            bias, weight = parameters[f"bias{i}"].unsqueeze(1), parameters[f"weight{i}"]
            z = bias.baddbmm(activations[-1], weight.transpose(1, 2))
            activations.append(z.relu_() if i < layers else z)
        return activations


def slopes(logits: Tensor, y: Tensor, weight: Tensor) -> Tensor:
    """Gradient (K, B, classes) of the weighted cross-entropy by the logits: softmax − one-hot."""
    delta = logits.softmax(-1)
    delta.scatter_add_(2, y.unsqueeze(2), delta.new_full((*y.shape, 1), -1.0))
    delta *= weight.unsqueeze(2)
    return delta


def no_picture(shape: Shape) -> str:
    """Why samples of this shape are no images; "" if they are."""
    if len(shape) in (2, 3):
        return ""
    return f"the data set holds no images, but {shape[0] if shape else 0} numbers a sample"


def no_dense_start(model: Model, shape: Shape, classes: int) -> str:
    """Why a model does not begin with a fully connected layer with bias; "" if it does."""
    first, *rest = model.slices(shape, classes)
    if len(first.shape) != 2 or first.shape[1] != math.prod(shape):
        return f"the first layer of “{model.title}” is not fully connected"
    if not rest or rest[0].shape != first.shape[:1]:
        return f"the first layer of “{model.title}” has no bias"
    return ""


def no_hidden_layer(model: Model, shape: Shape, classes: int) -> str:
    """Why a model is no network with one hidden layer of ReLU units; "" if it is."""
    if why := no_picture(shape) or no_dense_start(model, shape, classes):
        return why
    if isinstance(model, Dense) and len(model.hidden_widths()) == 1:
        return ""
    return f"“{model.title}” has not one hidden layer of ReLU units (as mlp has)"
