"""Interpreter of an architecture that counts parameters, multiplications and memory, from shapes alone."""

from math import prod

Shape = tuple[int, ...]
MOMENTS = {1: (0.1307, 0.3081), 3: (0.4734, 0.2516)}
"""Mean and standard deviation of MNIST's and of CIFAR-10's pixels, as publications use, by channels."""


def moments(channels: int) -> tuple[float, float]:
    """Mean and standard deviation of pixels, by number of channels."""
    return MOMENTS.get(channels, (0.5, 0.25))


class Sizes:
    """Operators on the shape of one sample, (channels, height, width)."""

    def __init__(self) -> None:
        self.shapes: dict[str, Shape] = {}
        """Shape of every parameter, in vector order."""
        self.products = 0
        """Multiplications of one sample's forward pass."""
        self.activations = 0
        """Numbers kept for the backward pass, image patches of convolutions included."""

    @staticmethod
    def images(shape: Shape) -> Shape:
        return shape if len(shape) == 3 else (1, *shape)

    def standard(self, x: Shape) -> Shape:
        return self._kept(x)

    def conv(
        self, name: str, x: Shape, out: int, size: int, stride: int = 1, padding: int = 0, bias: bool = True
    ) -> Shape:
        channels, *sides = x
        self.shapes[f"{name}.weight"] = (out, channels, size, size)
        if bias:
            self.shapes[f"{name}.bias"] = (out,)
        pixels = [(side + 2 * padding - size) // stride + 1 for side in sides]
        patches = channels * size**2 * prod(pixels)
        self.products += out * patches
        self.activations += patches
        return self._kept((out, *pixels))

    def norm(self, name: str, x: Shape) -> Shape:
        self.shapes[f"{name}.weight"] = self.shapes[f"{name}.bias"] = (x[0],)
        return self._kept(x)

    def linear(self, name: str, x: Shape, out: int) -> Shape:
        self.shapes[f"{name}.weight"], self.shapes[f"{name}.bias"] = (out, prod(x)), (out,)
        self.products += out * prod(x)
        return self._kept((out,))

    def pool(self, x: Shape, size: int = 2) -> Shape:
        channels, height, width = x
        return self._kept((channels, height // size, width // size))

    average = pool

    def mean(self, x: Shape) -> Shape:
        return (x[0],)

    def flat(self, x: Shape) -> Shape:
        return (prod(x),)

    def relu(self, x: Shape) -> Shape:
        return x

    def sigmoid(self, x: Shape) -> Shape:
        return self._kept(x)

    tanh = sigmoid

    def add(self, x: Shape, y: Shape) -> Shape:
        return self._kept(x)

    def _kept(self, shape: Shape) -> Shape:
        self.activations += prod(shape)
        return shape
