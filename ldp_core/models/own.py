"""A network of layers that a user lists."""

from typing import Annotated, Any

from pydantic import Field, PlainSerializer

from ldp_core.fields import Written
from ldp_core.models._grammar import MOST_WEIGHTS, Layer, read, spelled
from ldp_core.models.base import Shape
from ldp_core.models.convolutional import Convolutional, Network


class Own(Convolutional):
    """The listed layers, then a linear layer with a unit per class.

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
        return not any(one.activation == "relu" or one.kind == "pool" for one in self.stack)

    @property
    def batched(self) -> bool:  # type: ignore[override]
        return all(one.kind == "dense" for one in self.stack)

    def fits(self, shape: Shape) -> bool:
        return not self.misfit(shape)

    def misfit(self, shape: Shape, classes: int = 2) -> str:
        sides = list(shape[-2:])
        for number, one in enumerate(self.stack, start=1):
            if one.kind == "dense":
                break
            if len(shape) not in (2, 3):
                return f"layer {number} ({one}) reads images"
            if one.size > min(sides) + 2 * one.padding:
                reach = " × ".join(map(str, sides))
                return f"layer {number} ({one}) is larger than the {reach} pixels that reach it"
            step = one.stride if one.kind == "conv" else one.size
            sides = [(side + 2 * one.padding - one.size) // step + 1 for side in sides]
        weights = self.dimension(shape, classes)
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
            if one.activation != "none":
                x = getattr(net, one.activation)(x)
        return net.linear("last", x if flat else net.flat(x), classes)
