"""A model as a list of layers for the compiled kernel; or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import prod

from ldp_core.models.base import Model, Shape
from ldp_core.models.convolutional import Convolutional
from ldp_core.models.dense import Dense as DenseModel

MOST_CLASSES = 256
MOST_KERNEL = 15
"""Largest side of a kernel in pixels."""


class Unfit(Exception):
    """The kernel cannot compute this model; the text is a reason: “it has …”."""


@dataclass(frozen=True)
class Conv:
    """A valid convolution with stride 1, max pooling over 2 × 2 pixels, and ReLU."""

    channels: int
    height: int
    width: int
    out: int
    size: int
    """Side of the kernel in pixels."""
    weight: int
    """Position of the weights (out, channels, size, size) in the flat vector."""
    bias: int

    @property
    def pooled(self) -> tuple[int, int]:
        """Rows and columns after pooling."""
        return (self.height - self.size + 1) // 2, (self.width - self.size + 1) // 2

    @property
    def positions(self) -> int:
        """Number of outputs per channel after pooling."""
        return prod(self.pooled)

    @property
    def outputs(self) -> int:
        return self.out * self.positions

    @property
    def inputs(self) -> int:
        return self.channels * self.height * self.width


@dataclass(frozen=True)
class Dense:
    """A fully connected layer, with ReLU unless it is the last one."""

    inputs: int
    out: int
    weight: int
    """Position of the weights (out, inputs) in the flat vector."""
    bias: int
    relu: bool

    @property
    def outputs(self) -> int:
        return self.out


@dataclass(frozen=True)
class Layers:
    features: int
    """Number of values of a sample."""
    moments: tuple[float, float] | None
    """Subtracted mean, and divisor, of each value; None without standardisation."""
    convs: tuple[Conv, ...]
    dense: tuple[Dense, ...]
    """Fully connected layers, at least one."""
    dimension: int
    """Number of weights, d."""

    @property
    def classes(self) -> int:
        return self.dense[-1].out

    @property
    def products(self) -> int:
        """Multiplications of one sample's forward pass."""
        convs = (c.out * 4 * c.positions * c.channels * c.size**2 for c in self.convs)
        return sum(convs) + sum(layer.inputs * layer.out for layer in self.dense)


@lru_cache(maxsize=64)
def layers_of(model: Model, shape: Shape, classes: int) -> Layers:
    """Layers of a model on samples of `shape`.

    Raises:
        Unfit: the model has other layers.
    """
    if classes > MOST_CLASSES:
        raise Unfit(f"it has more than {MOST_CLASSES} classes")
    places = {one.name: one.start for one in model.slices(shape, classes)}
    d = model.dimension(shape, classes)
    if isinstance(model, DenseModel):
        widths = (prod(shape), *model.hidden_widths(), classes)
        dense = tuple(
            Dense(widths[i - 1], widths[i], places[f"weight{i}"], places[f"bias{i}"], i < len(widths) - 1)
            for i in range(1, len(widths))
        )
        return Layers(prod(shape), None, (), dense, d)
    if not isinstance(model, Convolutional):
        raise Unfit("it is not made of fully connected and convolutional layers alone")
    reader = Reader(places)
    last = model.network(reader, At(shape if len(shape) == 3 else (1, *shape)), classes)
    return Layers(prod(shape), reader.moments, *reader.finished(last), d)


def is_chain(model: Model, shape: Shape, classes: int) -> bool:
    try:
        layers_of(model, shape, classes)
    except Unfit:
        return False
    return True


@dataclass(frozen=True)
class At:
    """Position of the interpreter: shape of a sample, and the steps since the last layer."""

    shape: Shape
    layer: int = -1
    """Index of the layer that made it; −1 for the input."""
    done: tuple[str, ...] = ()


@dataclass
class Reader:
    """Interpreter of an architecture layer by layer; refuses anything but a chain of known layers."""

    places: dict[str, int]
    moments: tuple[float, float] | None = None
    _made: list[Conv | Dense] = field(default_factory=list)
    _reached: At | None = None

    def standard(self, x: At) -> At:
        from ldp_core.models._sizes import moments

        if x.layer >= 0 or x.done:
            raise Unfit("it standardises what is not its input")
        self.moments = moments(x.shape[0])
        return self._at(x.shape, x.layer, ("standard",))

    def conv(
        self, name: str, x: At, out: int, size: int, stride: int = 1, padding: int = 0, bias: bool = True
    ) -> At:
        if stride != 1 or padding or not bias:
            raise Unfit("it has convolutions with strides, with padding or without a bias")
        self._follows(x, conv=True)
        channels, height, width = x.shape
        one = Conv(
            channels, height, width, out, size, self.places[f"{name}.weight"], self.places[f"{name}.bias"]
        )
        if size > MOST_KERNEL or min(one.pooled) < 1:
            raise Unfit("its kernels are too large")
        self._made.append(one)
        return self._at((out, height - size + 1, width - size + 1), len(self._made) - 1, ())

    def linear(self, name: str, x: At, out: int) -> At:
        self._follows(x, conv=False)
        weight, bias = self.places[f"{name}.weight"], self.places[f"{name}.bias"]
        self._made.append(Dense(prod(x.shape), out, weight, bias, relu=False))
        return self._at((out,), len(self._made) - 1, ())

    def pool(self, x: At, size: int = 2) -> At:
        if size != 2:
            raise Unfit("it pools other squares than 2 × 2 pixels")
        if x.layer < 0 or not isinstance(self._made[x.layer], Conv) or "pool" in x.done:
            raise Unfit("it pools what is not the output of a convolution")
        channels, height, width = x.shape
        return self._at((channels, height // 2, width // 2), x.layer, (*x.done, "pool"))

    def relu(self, x: At) -> At:
        if x.layer < 0 or "relu" in x.done:
            raise Unfit("it has a ReLU in an unusual place")
        made = self._made[x.layer]
        if isinstance(made, Dense):
            self._made[x.layer] = Dense(made.inputs, made.out, made.weight, made.bias, relu=True)
        return self._at(x.shape, x.layer, (*x.done, "relu"))

    def flat(self, x: At) -> At:
        return self._at((prod(x.shape),), x.layer, (*x.done, "flat"))

    def norm(self, name: str, x: At) -> At:
        raise Unfit("it normalises groups of channels")

    def mean(self, x: At) -> At:
        raise Unfit("it takes means over pixels")

    def sigmoid(self, x: At) -> At:
        raise Unfit("it has sigmoids")

    def add(self, x: At, y: At) -> At:
        raise Unfit("its layers are no chain")

    def finished(self, last: At) -> tuple[tuple[Conv, ...], tuple[Dense, ...]]:
        convs = tuple(one for one in self._made if isinstance(one, Conv))
        dense = tuple(one for one in self._made if isinstance(one, Dense))
        if not dense or last is not self._reached or last.layer != len(self._made) - 1 or last.done:
            raise Unfit("its last layer is not a linear one")
        return convs, dense

    def _follows(self, x: At, conv: bool) -> None:
        """Refuse a layer that does not continue the chain.

        Raises:
            Unfit: the reason.
        """
        if x is not self._reached and (self._made or self._reached):
            raise Unfit("its layers are no chain")
        before = self._made[x.layer] if x.layer >= 0 else None
        if isinstance(before, Conv) and not {"pool", "relu"} <= set(x.done):
            raise Unfit("it has convolutions without pooling and ReLU")
        if conv and (isinstance(before, Dense) or "flat" in x.done):
            raise Unfit("it has convolutions after linear layers")
        if isinstance(before, Dense) and "relu" not in x.done:
            raise Unfit("it has linear layers without ReLU")

    def _at(self, shape: Shape, layer: int, done: tuple[str, ...]) -> At:
        self._reached = At(shape, layer, done)
        return self._reached
