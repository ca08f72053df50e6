"""A network between two small transforms, which a client of paper 003 trains.

The network's weights come first in the vector, then the transforms'. So the shared slice is a model by
itself, for the server and for attackers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldp_core.models.base import Model, Shape
from ldp_core.models.dense import Dense, slopes

if TYPE_CHECKING:
    from torch import Tensor

    from ldp_core.models._recorded import Recorded
    from ldp_core.models.base import Tensors

LEARNED = ("affine", "log", "tanh", "sigmoid")
"""Transforms of ax + b with each client's own a and b."""
TRANSFORMS = ("none", *LEARNED, "gain")
"""All transforms: `none` is the identity, `gain` multiplies by one public number."""
INPUT, OUTPUT = "input", "output"
"""Layers with weights `a` and `b`: before the network, per channel and pixel; after it, one and per class."""
OFFSET, SCALE = "offset", "scale"
"""Names of a curious server's notes on b and a before the network."""


class Extended(Model):
    """scores = after(network(before(x))); both transforms by name, of `TRANSFORMS`."""

    name: ClassVar[str] = "extended"

    base: Model
    before: str
    after: str
    gain: float = 1.0
    start_a: float = 1.0
    start_b: float = 0.0

    @property
    def shared(self) -> Model:
        """The network, with public gains around it if there are any."""
        left = {self.before, self.after} - {"none", *LEARNED}
        if not left:
            return self.base
        without = dict.fromkeys(LEARNED, "none")
        before, after = (without.get(one, one) for one in (self.before, self.after))
        return Extended(base=self.base, before=before, after=after, gain=self.gain)

    def fits(self, shape: Shape) -> bool:
        return self.base.fits(shape)

    def parameter_shapes(self, shape: Shape, classes: int) -> dict[str, Shape]:
        shapes = self.base.parameter_shapes(shape, classes)
        if self.before in LEARNED:
            shapes = shapes | {f"{INPUT}.a": (channels(shape),), f"{INPUT}.b": shape}
        if self.after in LEARNED:
            shapes = shapes | {f"{OUTPUT}.a": (1,), f"{OUTPUT}.b": (classes,)}
        return shapes

    def products(self, shape: Shape, classes: int) -> int:
        return self.base.products(shape, classes) + int(np.prod(shape)) + classes

    def activations(self, shape: Shape, classes: int) -> int:
        return self.base.activations(shape, classes) + int(np.prod(shape))

    def initial(self, shape: Shape, classes: int, generator: np.random.Generator) -> NDArray[np.float32]:
        """The network's own initial weights, and public a and b; with 1 and 0 “affine” is the identity."""
        parts = [self.base.initial(shape, classes, generator)]
        for one in self.slices(shape, classes)[len(self.base.parameter_shapes(shape, classes)) :]:
            start = self.start_a if one.name.endswith(".a") else self.start_b
            parts.append(np.full(one.stop - one.start, start, dtype=np.float32))
        return np.concatenate(parts)

    def logits(self, parameters: Tensors, x: Tensor) -> Tensor:
        own = self._split(parameters, x.dim())
        return self._after(own, self.base.logits(own.pop(""), self._before(own, x)))

    def recorded(self, tape: Recorded, x: Tensor) -> Tensor:
        if {self.before, self.after} & {*LEARNED}:
            raise TypeError("what clients keep is in no upload; ask the shared model")
        begun = transformed(self.before, x, None, None, self.gain)
        return transformed(self.after, self.base.recorded(tape, begun), None, None, self.gain)

    def scores(self, parameters: Tensors, x: Tensor) -> Tensor:
        one = self._split({name: p.unsqueeze(0) for name, p in parameters.items()}, x.dim() + 1)
        base = {name: p[0] for name, p in one.pop("").items()}
        return self._after(one, self.base.scores(base, self._before(one, x.unsqueeze(0))[0]).unsqueeze(0))[0]

    def gradients(self, parameters: Tensors, x: Tensor, y: Tensor, weight: Tensor) -> Tensors:
        if isinstance(self.base, Dense):
            return self._by_hand(self.base, parameters, x, y, weight)
        return super().gradients(parameters, x, y, weight)

    def _by_hand(self, base: Dense, parameters: Tensors, x: Tensor, y: Tensor, weight: Tensor) -> Tensors:
        """Gradients for a fully connected network, twice as fast as by automatic differentiation."""
        own = self._split(parameters, x.dim())
        inner, found = own.pop(""), {}
        begun = self._before(own, x)
        activations = base.activated(inner, begun)
        inside = activations[-1]
        scores = self._after(own, inside)
        delta = slopes(scores, y, weight)
        if self.after in LEARNED:
            delta = delta * slope(self.after, scores)
            found[f"{OUTPUT}.a"], found[f"{OUTPUT}.b"] = (delta * inside).sum((1, 2))[:, None], delta.sum(1)
            delta = delta * own[f"{OUTPUT}.a"]
        elif self.after == "gain":
            delta = delta * self.gain
        gradients, first = base.backwards(inner, activations, delta)
        if self.before in LEARNED:
            moved = (first @ inner["weight1"]).view_as(x) * slope(self.before, begun)
            kept = [0, 2] if x.dim() == 5 else [0]  # a is summed over all but clients and channels
            summed = (moved * x).sum([axis for axis in range(x.dim()) if axis not in kept])
            found[f"{INPUT}.a"], found[f"{INPUT}.b"] = summed.view(len(x), -1), moved.sum(1)
        return {name: gradients[name] if name in gradients else found[name] for name in parameters}

    def _before(self, own: dict[str, Any], x: Tensor) -> Tensor:
        return transformed(self.before, x, own.get(f"{INPUT}.a"), own.get(f"{INPUT}.b"), self.gain)

    def _after(self, own: dict[str, Any], y: Tensor) -> Tensor:
        return transformed(self.after, y, own.get(f"{OUTPUT}.a"), own.get(f"{OUTPUT}.b"), self.gain)

    @staticmethod
    def _split(parameters: Tensors, dim: int) -> dict[str, Any]:
        """The network's parameters under "", and the transforms', shaped to broadcast with (K, B, …)."""
        found: dict[str, Any] = {"": {}}
        for name, p in parameters.items():
            if name == f"{INPUT}.a":  # (K, C) against (K, B, C, height, width), or (K, 1) against anything
                found[name] = p.view(p.shape[0], 1, -1, *[1] * (dim - 3))
            elif name in (f"{INPUT}.b", f"{OUTPUT}.b", f"{OUTPUT}.a"):
                found[name] = p.unsqueeze(1)
            else:
                found[""][name] = p
        return found


def channels(shape: Shape) -> int:
    """Number of channels: the first of three axes, else 1."""
    return shape[0] if len(shape) == 3 else 1


def transformed(name: str, x: Tensor, a: Tensor | None, b: Tensor | None, gain: float) -> Tensor:
    """x through a transform; a and b broadcast with it, and are None if nothing is learnt.

    log(1 + ax + b) is NaN where ax + b < −1, as in the paper.
    """
    if name == "none":
        return x
    if name == "gain" or a is None or b is None:
        return x * gain
    y = a * x + b
    if name == "log":
        return y.log1p()
    if name == "tanh":
        return y.tanh()
    return y.sigmoid() if name == "sigmoid" else y


def slope(name: str, y: Tensor) -> Tensor | float:
    """Slope of the learned transform ax + b at its output y."""
    if name == "log":
        return (-y).exp()
    if name == "tanh":
        return 1 - y * y
    return y * (1 - y) if name == "sigmoid" else 1.0
