"""Base class of models: layout of the parameters in a flat vector, and batched computation.

The parameters of K clients are one (K, d) matrix. A model accesses it through views named after its layers,
and computes for all K at once; nothing is copied into modules.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Component

if TYPE_CHECKING:
    from torch import Tensor

    from ldp_core.models._recorded import Factors, Recorded

    Tensors = dict[str, Tensor]

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Slice:
    name: str
    start: int
    stop: int
    shape: Shape


class Model(Component):
    """An architecture; frozen, without weights."""

    needs: ClassVar[str] = "any samples"
    """Accepted samples, in words."""
    smooth: ClassVar[bool] = False
    """True if scores are infinitely differentiable: without ReLU and max pooling."""
    batched: ClassVar[bool] = True
    """True if computing all clients at once is fastest on a CPU too."""

    @property
    def title(self) -> str:
        """Name for pages: the label, or the layers that a user has listed."""
        return self.label

    @property
    def shared(self) -> Model:
        """The model without weights that clients keep; shared weights come first."""
        return self

    def fits(self, shape: Shape) -> bool:
        return True

    def misfit(self, shape: Shape, classes: int) -> str:
        """Why samples of `shape` cannot be input, as a clause; "" if they can."""
        return "" if self.fits(shape) else f"{self.name} needs {self.needs}"

    def understood(self, shape: Shape, classes: int) -> list[tuple[str, int]]:
        """Layers that a user has listed, in words, each with its number of weights; [] of other models."""
        return []

    def asks(self, classes: int) -> tuple[str, list[str]]:
        """What a listed model leaves open, and the lists that say it; "" if it says all."""
        return "", []

    def doubt(self, classes: int) -> str:
        """Sentence on a listed layer that may be meant otherwise; "" without one."""
        return ""

    @abstractmethod
    def parameter_shapes(self, shape: Shape, classes: int) -> dict[str, Shape]:
        """Shape of every parameter for samples of `shape`, in vector order."""

    def slices(self, shape: Shape, classes: int) -> tuple[Slice, ...]:
        return _slices(self, shape, classes)

    def layers(self, shape: Shape, classes: int) -> tuple[slice, ...]:
        """Slice of the vector for each layer, weights and biases together."""
        found: dict[str, slice] = {}
        for one in self.slices(shape, classes):
            layer = one.name.rpartition(".")[0] or one.name.removeprefix("weight").removeprefix("bias")
            found[layer] = slice(found[layer].start if layer in found else one.start, one.stop)
        return tuple(found.values())

    def dimension(self, shape: Shape, classes: int) -> int:
        """Number of weights, d, for samples of `shape`."""
        return self.slices(shape, classes)[-1].stop

    def products(self, shape: Shape, classes: int) -> int:
        """Multiplications of one sample's forward pass; the number of weights unless weights are shared."""
        return self.dimension(shape, classes)

    def activations(self, shape: Shape, classes: int) -> int:
        """Numbers that one sample's forward pass keeps for the backward pass; few without channels."""
        return 0

    @abstractmethod
    def initial(self, shape: Shape, classes: int, generator: np.random.Generator) -> NDArray[np.float32]:
        """Initial weights, shape (d,)."""

    @abstractmethod
    def logits(self, parameters: Tensors, x: Tensor) -> Tensor:
        """Scores (K, B, classes) for samples x (K, B, *shape) under parameters (K, …)."""

    def gradients(self, parameters: Tensors, x: Tensor, y: Tensor, weight: Tensor) -> Tensors:
        """Gradients of each client's weighted cross-entropy, shaped like the parameters (`views`), for
        samples x (K, B, *shape), labels y (K, B) and their weights in the loss (K, B), 0 for padding.
        """
        import torch

        leaves = {name: p.detach().requires_grad_() for name, p in parameters.items()}
        with torch.enable_grad():
            scores = self.logits(leaves, x).flatten(0, 1)
            losses = torch.nn.functional.cross_entropy(scores, y.flatten(), reduction="none")
            found = torch.autograd.grad((losses * weight.flatten()).sum(), list(leaves.values()))
        return dict(zip(leaves, found, strict=True))

    @abstractmethod
    def recorded(self, tape: Recorded, x: Tensor) -> Tensor:
        """Scores (n, classes) of samples (n, *shape) under the tape's weights; activations are recorded."""

    def traced(self, parameters: Tensors, x: Tensor, targets: Tensor, slopes: bool = False) -> list[Factors]:
        """Differentiable gradients of each sample's cross-entropy under one set of weights (without a client
        axis), a part per parameter: for samples x (n, *shape) and class probabilities `targets` (n, classes);
        with `slopes`, they are the slopes of any loss by the scores instead.
        """
        import torch

        from ldp_core.models._recorded import Recorded, parts

        tape = Recorded({name: p.detach() for name, p in parameters.items()})
        with torch.enable_grad():
            x = x if x.requires_grad else x.detach().requires_grad_()
            scores = self.recorded(tape, x)
            losses = (targets * scores).sum() if slopes else -(targets * scores.log_softmax(-1)).sum()
            return parts(tape.layers, losses, list(parameters))

    def scores(self, parameters: Tensors, x: Tensor) -> Tensor:
        """Scores (B, classes) of one model, without client axis, for samples x (B, *shape)."""
        return self.logits({name: p.unsqueeze(0) for name, p in parameters.items()}, x.unsqueeze(0))[0]

    def views(self, weights: Tensor, shape: Shape, classes: int) -> Tensors:
        """Views (K, …) of the matrix (K, d), one per parameter."""
        slices = self.slices(shape, classes)
        return {one.name: weights[:, one.start : one.stop].view(len(weights), *one.shape) for one in slices}


@lru_cache(maxsize=64)
def _slices(model: Model, shape: Shape, classes: int) -> tuple[Slice, ...]:
    # asked for in every step of a training and of an attack: a convolution's shapes take longer than its step
    shapes = model.parameter_shapes(shape, classes)
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()]).tolist()
    starts = [0, *ends[:-1]]
    return tuple(Slice(n, a, b, s) for (n, s), a, b in zip(shapes.items(), starts, ends, strict=True))
