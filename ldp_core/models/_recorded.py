"""Interpreter of an architecture for many images under one set of weights, for matching gradients.

An attack searches one image per upload, and all uploads began at one model. So weights have no client axis,
and a layer's gradient for one image is a product of two recorded tensors: its input, and the loss's slope by
its output. For convolutions the product is over positions of patches.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from ldp_core.models._operators import Alone, groups


@dataclass(frozen=True)
class RecordedLayer:
    """Input and output of a layer with weights, for n images."""

    weight: str
    bias: str
    """Names of the parameters; "" without a bias."""
    inputs: Tensor
    """Inputs (n, fan-in, positions); for a scale normalised ones, (n, channels, positions)."""
    outputs: Tensor
    """Outputs (n, units, positions), before any nonlinearity."""
    scale: bool = False
    """True for a normalisation's scale and offset, False for linear and convolutional layers."""


@dataclass(frozen=True)
class Factors:
    """Gradient of one parameter for each of n images, factored as left @ rightᵀ."""

    name: str
    left: Tensor
    """Left factor, (n, units, positions)."""
    right: Tensor | None
    """Right factor, (n, fan-in, positions); None if the gradient is the sum of `left` over positions."""

    def whole(self) -> Tensor:
        """Gradient (n, size), in the parameter's layout."""
        if self.right is None:
            return self.left.sum(2)
        return (self.left @ self.right.transpose(1, 2)).flatten(1)

    @property
    def rank_one(self) -> bool:
        """Whether the gradient is an outer product (one position), so that it need not be formed."""
        return self.right is not None and self.left.shape[2] == 1

    def square(self) -> Tensor:
        """Squared Euclidean norm (n,) of each image's gradient; for outer products only (`rank_one`)."""
        return (self.left**2).sum((1, 2)) * (self._right**2).sum((1, 2))

    def dot(self, other: Tensor) -> Tensor:
        """Inner product (n,) of each image's gradient with `other` (n, size); only where the gradient is
        stored as an outer product (`rank_one`).
        """
        matrix = other.view(len(other), self.left.shape[1], -1)
        return (self.left * (matrix @ self._right)).sum((1, 2))

    @property
    def _right(self) -> Tensor:
        if self.right is None:
            raise TypeError(f"{self.name} is a sum over positions, no outer product")
        return self.right


class Recorded(Alone):
    """Operators on (n, C, H, W), or (n, F) once flat; records every layer with weights."""

    def __init__(self, parameters: dict[str, Tensor]) -> None:
        super().__init__(parameters)
        self.layers: list[RecordedLayer] = []
        self.classes: int = next(reversed(parameters.values())).shape[0]

    @staticmethod
    def images(x: Tensor) -> Tensor:
        return x.unsqueeze(1) if x.dim() == 3 else x

    def conv(
        self, name: str, x: Tensor, out: int, size: int, stride: int = 1, padding: int = 0, bias: bool = True
    ) -> Tensor:
        height, width = ((side + 2 * padding - size) // stride + 1 for side in x.shape[2:])
        patches = functional.unfold(x, size, stride=stride, padding=padding)
        y = self._parameters[f"{name}.weight"].flatten(1) @ patches
        if bias:
            y = y + self._parameters[f"{name}.bias"][:, None]
        self.layers.append(RecordedLayer(f"{name}.weight", f"{name}.bias" if bias else "", patches, y))
        return y.view(len(x), out, height, width)

    def norm(self, name: str, x: Tensor) -> Tensor:
        n, channels, *sides = x.shape
        grouped = x.reshape(n, groups(channels), -1)
        variance, mean = torch.var_mean(grouped, dim=2, keepdim=True, correction=0)
        normal = ((grouped - mean) * (variance + 1e-5).rsqrt()).view(n, channels, -1)
        weight, offset = (self._parameters[f"{name}.{part}"][:, None] for part in ("weight", "bias"))
        y = weight * normal + offset
        self.layers.append(RecordedLayer(f"{name}.weight", f"{name}.bias", normal, y, scale=True))
        return y.view(n, channels, *sides)

    def linear(self, name: str, x: Tensor, out: int) -> Tensor:
        return self.product(x, f"{name}.weight", f"{name}.bias")

    def product(self, x: Tensor, weight: str, bias: str) -> Tensor:
        y = torch.addmm(self._parameters[bias], x, self._parameters[weight].T).unsqueeze(2)
        self.layers.append(RecordedLayer(weight, bias, x.unsqueeze(2), y))
        return y.squeeze(2)

    def relu(self, x: Tensor) -> Tensor:
        return functional.relu(x)


def parts(layers: list[RecordedLayer], losses: Tensor, names: list[str]) -> list[Factors]:
    """Differentiable gradients of all parameters, in the order of `names`, of the images' summed losses."""
    slopes = torch.autograd.grad(losses, [layer.outputs for layer in layers], create_graph=True)
    found: dict[str, Factors] = {}
    for one, slope in zip(layers, slopes, strict=True):
        left, right = (slope * one.inputs, None) if one.scale else (slope, one.inputs)
        found[one.weight] = Factors(one.weight, left, right)
        if one.bias:
            found[one.bias] = Factors(one.bias, slope, None)
    return [found[name] for name in names]
