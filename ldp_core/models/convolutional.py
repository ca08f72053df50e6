"""Convolutional models: an architecture written once, with several interpreters.

`network` describes the operators on a batch of images. `Sizes` counts; `Alone` computes one client with
PyTorch's operators, fastest on a CPU; `Together` computes all clients by batched products, for a GPU.
Gradients are automatic.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ldp_core.models._sizes import Sizes
from ldp_core.models.base import Model, Shape

if TYPE_CHECKING:
    from torch import Tensor

    from ldp_core.models._recorded import Recorded
    from ldp_core.models.base import Tensors


class Network(Protocol):
    """Operators of an architecture, on any interpreter's `x`.

    Layers are named; their parameters are `name.weight` and `name.bias`.
    """

    def standard(self, x: Any) -> Any:
        """Pixels in [0, 1] scaled to about mean 0 and variance 1, by public constants."""

    def conv(
        self, name: str, x: Any, out: int, size: int, stride: int = 1, padding: int = 0, bias: bool = True
    ) -> Any:
        """Convolution with `out` channels and `size` × `size` kernels."""

    def norm(self, name: str, x: Any) -> Any:
        """Group normalisation with scale and offset per channel."""

    def linear(self, name: str, x: Any, out: int) -> Any: ...

    def pool(self, x: Any, size: int = 2) -> Any:
        """Maxima over `size` × `size` pixels; the first of equal ones gets the gradient."""

    def average(self, x: Any, size: int) -> Any:
        """Means over `size` × `size` pixels."""

    def mean(self, x: Any) -> Any:
        """Mean over all pixels of each channel."""

    def flat(self, x: Any) -> Any:
        """Channels and pixels as one axis."""

    def relu(self, x: Any) -> Any:
        """max(0, x); may reuse the memory of x."""

    def sigmoid(self, x: Any) -> Any: ...

    def tanh(self, x: Any) -> Any: ...

    def add(self, x: Any, y: Any) -> Any: ...


class Convolutional(Model):
    """Takes images, (height, width) or (channels, height, width)."""

    batched = False
    smallest: ClassVar[int]
    """Least side of an image in pixels."""

    @abstractmethod
    def network(self, net: Network, x: Any, classes: int) -> Any:
        """Scores for images x."""

    def fits(self, shape: Shape) -> bool:
        return len(shape) in (2, 3) and min(shape[-2:]) >= self.smallest

    def parameter_shapes(self, shape: Shape, classes: int) -> dict[str, Shape]:
        return _sizes(self, shape, classes).shapes

    def products(self, shape: Shape, classes: int) -> int:
        return _sizes(self, shape, classes).products

    def activations(self, shape: Shape, classes: int) -> int:
        return _sizes(self, shape, classes).activations

    def initial(self, shape: Shape, classes: int, generator: np.random.Generator) -> NDArray[np.float32]:
        """Uniform in ±1/√fan-in for weights and biases, PyTorch's default."""
        parts, bound = [], 0.0
        for s in self.slices(shape, classes):
            if s.name.endswith(".weight"):
                bound = 1 / np.sqrt(np.prod(s.shape[1:]))
            parts.append(generator.uniform(-bound, bound, s.stop - s.start))
        return np.concatenate(parts).astype(np.float32)

    def logits(self, parameters: Tensors, x: Tensor) -> Tensor:
        from ldp_core.models._operators import Together

        classes: int = next(reversed(parameters.values())).shape[1]
        return self.network(Together(parameters), Together.images(x), classes)

    def scores(self, parameters: Tensors, x: Tensor) -> Tensor:
        from ldp_core.models._operators import Alone

        classes: int = next(reversed(parameters.values())).shape[0]
        return self.network(Alone(parameters), Alone.images(x), classes)

    def recorded(self, tape: Recorded, x: Tensor) -> Tensor:
        return self.network(tape, tape.images(x), tape.classes)


@lru_cache(maxsize=64)
def _sizes(model: Convolutional, shape: Shape, classes: int) -> Sizes:
    sizes = Sizes()
    model.network(sizes, Sizes.images(shape), classes)
    return sizes
