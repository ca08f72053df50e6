"""A network of layers that a user lists."""

from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field, PlainSerializer

from ldp_core.fields import Written
from ldp_core.models._grammar import MOST_WEIGHTS, UNSAID, USUAL, Layer, read, spelled
from ldp_core.models.base import Shape
from ldp_core.models.convolutional import Convolutional, Network


class OwnLayers(Convolutional):
    """The listed layers. Unless the last is a linear one with a unit per class, such a layer is added.

    A layer's activation comes before the following pooling. Pixels are input in [0, 1].
    """

    label = "Layers of your own"
    order = 7
    summary = "Fully connected, convolutional and pooling layers with ReLU, sigmoid or tanh, as you list."
    formula = r"x\leftarrow a_l(W_l*x+b_l),\quad \operatorname{softmax}(Wx+b)"

    needs = "images where it has convolutions or pooling, at least as large as these"
    given_by = "layers"

    stack: Annotated[
        tuple[Layer, ...],
        Written(read, spelled),
        PlainSerializer(lambda some: [one.as_json() for one in some]),
    ] = Field(
        read("dense 32 relu"),
        alias="layers",
        description="layers (conv, pool, avg_pool, dense), such as conv 8 5 relu, pool 2, dense 32 relu",
    )

    @property
    def title(self) -> str:
        return f"own layers ({spelled(self.stack)})"

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        return not any(one.activation in ("relu", UNSAID) or one.kind == "pool" for one in self.stack)

    @property
    def batched(self) -> bool:  # type: ignore[override]
        return all(one.kind == "dense" for one in self.stack)

    def fits(self, shape: Shape) -> bool:
        return not self.misfit(shape)

    @property
    def ends(self) -> bool:
        """Whether the last listed layer is the output layer."""
        return self.stack[-1].kind == "dense" and self.stack[-1].activation == "none"

    def asks(self, classes: int) -> tuple[str, list[str]]:
        """What the list leaves open, and lists that say it; "" if it says all."""
        last = str(self.stack[-1])
        if self.stack[-1].activation != UNSAID or self.stack[-1].units != classes:
            return "", []
        ways = [
            spelled((*self.stack[:-1], replace(self.stack[-1], activation=one))) for one in ("none", "relu")
        ]
        return f"is its last layer, {last}, the output layer?", ways

    def decided(self, classes: int) -> "OwnLayers":
        """Copy whose last layer says its activation, unless that is an open question."""
        *before, last = self.stack
        if last.activation != UNSAID or last.kind != "dense" or self.asks(classes)[0]:
            return self
        return self.model_copy(update={"stack": (*before, replace(last, activation=USUAL["activation"]))})

    def understood(self, shape: Shape, classes: int) -> list[tuple[str, int]]:
        """Each layer with weights, in words, and their number."""
        words = [str(one) for one in self.decided(classes).stack if one.kind in ("dense", "conv")]
        if self.ends:
            words[-1] = f"dense {classes}, as listed the output layer"
        else:
            words.append(f"dense {classes}, added as the output layer")
        sizes = [one.stop - one.start for one in self.layers(shape, classes)]
        return [*zip(words, sizes, strict=True)]

    def doubt(self, classes: int) -> str:
        """Sentence on a last layer that looks like the output layer and is none; "" without one."""
        last = self.stack[-1]
        if self.ends or last.kind != "dense" or last.units != classes:
            return ""
        return (
            f"the last layer, {last}, has a unit for each class and an activation, so an output layer of "
            f"{classes} more units follows it, as it always did; to end with it, write dense {classes} none"
        )

    def misfit(self, shape: Shape, classes: int | None = None) -> str:
        sides = list(shape[-2:])
        for number, one in enumerate(self.stack, start=1):
            if one.kind == "dense":
                continue
            if len(shape) not in (2, 3):
                return f"layer {number} ({one}) reads images"
            if one.size > min(sides) + 2 * one.padding:
                there = " × ".join(map(str, sides))
                return f"layer {number} ({one}) is larger than the {there} pixels that reach it"
            step = one.stride if one.kind == "conv" else one.size
            sides = [(side + 2 * one.padding - one.size) // step + 1 for side in sides]
        last = self.stack[-1]
        if classes and self.ends and last.units != classes:
            return (
                f"its last layer ({last}) has no activation, and so is the output layer, with {last.units} "
                f"units for {classes} classes: give it {classes}, or an activation"
            )
        weights = self.dimension(shape, classes or 2)
        if weights > MOST_WEIGHTS:
            return f"its layers have {weights:,} weights there, and at most {MOST_WEIGHTS:,} are allowed"
        return ""

    def network(self, net: Network, x: Any, classes: int) -> Any:
        flat = False
        for number, one in enumerate(self.stack, start=1):
            name = f"layer{number}"
            if one.kind in ("pool", "avg_pool"):
                x = net.pool(x, one.size) if one.kind == "pool" else net.average(x, one.size)
                continue
            if one.kind == "conv":
                x = net.conv(name, x, one.channels, one.size, one.stride, one.padding)
            else:
                x = net.linear(name, x if flat else net.flat(x), one.units)
                flat = True
            activation = one.activation or USUAL["activation"]
            if activation != "none":
                x = getattr(net, activation)(x)
        if self.ends:
            return x
        return net.linear("last", x if flat else net.flat(x), classes)
