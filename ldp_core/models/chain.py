"""A model as a list of layers for the compiled kernel; or the reason why there is none."""

from dataclasses import dataclass, field, replace
from functools import lru_cache, partialmethod
from itertools import pairwise
from math import prod
from typing import Any

from ldp_core.models._sizes import moments
from ldp_core.models.base import Model, Shape
from ldp_core.models.convolutional import Convolutional
from ldp_core.models.dense import Dense

MOST_CLASSES = 256
MOST_KERNEL = 15
"""Largest side of a kernel in pixels."""


class Unfit(Exception):
    """The kernel cannot compute this model; the text is a reason: “it has …”."""


@dataclass(frozen=True)
class Conv:
    """A convolution, maxima over squares, an activation, and means over squares, in this order."""

    channels: int
    height: int
    width: int
    out: int
    size: int
    """Side of the kernel in pixels."""
    weight: int
    """Position of the weights (out, channels, size, size) in the flat vector."""
    bias: int
    stride: int = 1
    padding: int = 0
    pool: int = 2
    """Side in pixels of the squares of which the maximum is taken; 1 for none."""
    activation: str = "relu"
    mean: int = 1
    """Side in pixels of the squares of which the mean is taken; 1 for none."""

    @property
    def padded(self) -> tuple[int, int]:
        """Rows and columns of an image with its border of zeros."""
        return self.height + 2 * self.padding, self.width + 2 * self.padding

    @property
    def pooled(self) -> tuple[int, int]:
        """Rows and columns after the maxima."""
        rows, columns = ((side - self.size) // self.stride + 1 for side in self.padded)
        return rows // self.pool, columns // self.pool

    @property
    def positions(self) -> int:
        """Number of outputs per channel after the maxima."""
        return prod(self.pooled)

    @property
    def outputs(self) -> int:
        return self.out * self.positions

    @property
    def averaged(self) -> tuple[int, int]:
        """Rows and columns after the means."""
        return self.pooled[0] // self.mean, self.pooled[1] // self.mean

    @property
    def left(self) -> str:
        """The activation function that the next layer's gradient has to go back through."""
        return self.activation if self.mean == 1 else "none"

    @property
    def inputs(self) -> int:
        """Number of values of an image with its border."""
        return self.channels * prod(self.padded)


@dataclass(frozen=True)
class DenseLayer:
    """A fully connected layer and an activation."""

    inputs: int
    out: int
    weight: int
    """Position of the weights (out, inputs) in the flat vector."""
    bias: int
    activation: str = "relu"


@dataclass(frozen=True)
class Layers:
    features: int
    """Number of values of a sample."""
    moments: tuple[float, float] | None
    """Subtracted mean, and divisor, of each value; None without standardisation."""
    convs: tuple[Conv, ...]
    dense: tuple[DenseLayer, ...]
    """Fully connected layers, at least one."""
    dimension: int
    """Number of weights, d."""

    @property
    def classes(self) -> int:
        return self.dense[-1].out

    @property
    def products(self) -> int:
        """Multiplications of one sample's forward pass."""
        convs = (c.pool**2 * c.outputs * c.channels * c.size**2 for c in self.convs)
        return sum(convs) + sum(layer.inputs * layer.out for layer in self.dense)


@lru_cache(maxsize=64)
def layers_of(model: Model, shape: Shape, classes: int) -> Layers:
    """Layers of a model on samples of `shape`; raises Unfit for a model that has others."""
    if classes > MOST_CLASSES:
        raise Unfit(f"it has more than {MOST_CLASSES} classes")
    places = {one.name: one.start for one in model.slices(shape, classes)}
    d = model.dimension(shape, classes)
    if isinstance(model, Dense):
        widths = (prod(shape), *model.hidden_widths(), classes)
        dense = [
            DenseLayer(*sides, places[f"weight{i}"], places[f"bias{i}"])
            for i, sides in enumerate(pairwise(widths), start=1)
        ]
        return Layers(prod(shape), None, (), (*dense[:-1], replace(dense[-1], activation="none")), d)
    if not isinstance(model, Convolutional):
        raise Unfit("it is not made of fully connected and convolutional layers alone")
    reader = ChainReader(places)
    last = model.network(reader, At(shape if len(shape) == 3 else (1, *shape)), classes)
    return Layers(prod(shape), reader.moments, *reader.finished(last), d)


def is_chain(model: Model, shape: Shape, classes: int) -> bool:
    """Whether a kernel trains the model at full speed, which it does with ReLU, and with maxima after every
    convolution: most gradients are 0 then, and left out.
    """
    try:
        layers = layers_of(model, shape, classes)
    except Unfit:
        return False
    bent = {one.activation for one in layers.convs} | {one.activation for one in layers.dense[:-1]}
    return bent <= {"relu"} and all(one.pool > 1 for one in layers.convs)


@dataclass(frozen=True)
class At:
    """Position of the interpreter: shape of a sample, and the steps since the last layer."""

    shape: Shape
    layer: int = -1
    """Index of the layer that made it; −1 for the input."""
    done: tuple[str, ...] = ()


@dataclass
class ChainReader:
    """Interpreter of an architecture layer by layer; refuses anything but a chain of known layers."""

    places: dict[str, int]
    moments: tuple[float, float] | None = None
    _made: list[Conv | DenseLayer] = field(default_factory=list)
    _reached: At | None = None

    def standard(self, x: At) -> At:
        if x.layer >= 0 or x.done:
            raise Unfit("it standardises what is not its input")
        self.moments = moments(x.shape[0])
        return self._at(x.shape, x.layer, ("standard",))

    def conv(
        self, name: str, x: At, out: int, size: int, stride: int = 1, padding: int = 0, bias: bool = True
    ) -> At:
        if not bias:
            raise Unfit("it has convolutions without a bias")
        self._follows(x)
        if "flat" in x.done or (x.layer >= 0 and isinstance(self._made[x.layer], DenseLayer)):
            raise Unfit("it has convolutions after linear layers")
        weight, bias_at = self.places[f"{name}.weight"], self.places[f"{name}.bias"]
        channels, height, width = x.shape
        one = Conv(channels, height, width, out, size, weight, bias_at, stride, padding, 1, "none")
        if size > MOST_KERNEL or min(one.pooled) < 1:
            raise Unfit("its kernels are too large")
        self._made.append(one)
        return self._at((out, *one.pooled), len(self._made) - 1, ())

    def linear(self, name: str, x: At, out: int) -> At:
        self._follows(x)
        weight, bias = self.places[f"{name}.weight"], self.places[f"{name}.bias"]
        self._made.append(DenseLayer(prod(x.shape), out, weight, bias, "none"))
        return self._at((out,), len(self._made) - 1, ())

    def pool(self, x: At, size: int = 2) -> At:
        """Maxima before or after an activation are the same, as none of them falls."""
        one = self._changed(x, "pool", pool=size)
        return self._at((x.shape[0], *one.pooled), x.layer, (*x.done, "pool"))

    def average(self, x: At, size: int) -> At:
        one = self._changed(x, "average", mean=size)
        return self._at((x.shape[0], *one.averaged), x.layer, (*x.done, "average"))

    def flat(self, x: At) -> At:
        return self._at((prod(x.shape),), x.layer, (*x.done, "flat"))

    def norm(self, name: str, x: At) -> At:
        raise Unfit("it normalises groups of channels")

    def mean(self, x: At) -> At:
        raise Unfit("it takes means over all pixels")

    def add(self, x: At, y: At) -> At:
        raise Unfit("its layers are no chain")

    def activated(self, x: At, name: str) -> At:
        self._changed(x, "activation", activation=name)
        return self._at(x.shape, x.layer, (*x.done, "activation"))

    relu = partialmethod(activated, name="relu")
    sigmoid = partialmethod(activated, name="sigmoid")
    tanh = partialmethod(activated, name="tanh")

    def finished(self, last: At) -> tuple[tuple[Conv, ...], tuple[DenseLayer, ...]]:
        convs = tuple(one for one in self._made if isinstance(one, Conv))
        dense = tuple(one for one in self._made if isinstance(one, DenseLayer))
        if not dense or last is not self._reached or last.layer != len(self._made) - 1 or last.done:
            raise Unfit("its last layer is not a linear one")
        return convs, dense

    def _changed(self, x: At, step: str, **to: Any) -> Any:
        """The last layer with a step after it; Unfit unless it has each once, and means last."""
        self._follows(x)
        made = self._made[x.layer] if x.layer >= 0 else None
        if made is None or {step, "average", "flat"} & {*x.done} or not hasattr(made, next(iter(to))):
            raise Unfit(f"it has a step ({step}) in an unusual place")
        self._made[x.layer] = one = replace(made, **to)
        if isinstance(one, Conv) and min(one.averaged) < 1:
            raise Unfit("its images are too small")
        return one

    def _follows(self, x: At) -> None:
        if x is not self._reached and (self._made or self._reached):
            raise Unfit("its layers are no chain")

    def _at(self, shape: Shape, layer: int, done: tuple[str, ...]) -> At:
        self._reached = At(shape, layer, done)
        return self._reached
