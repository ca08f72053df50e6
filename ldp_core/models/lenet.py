"""LeNet with sigmoids, on which gradient inversion was demonstrated (DLG, Zhu et al. 2019)."""

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.fields import Choice
from ldp_core.models.base import Shape
from ldp_core.models.convolutional import Convolutional, Network

WIDE = 0.5


class LeNet(Convolutional):
    """12 channels of 5 × 5 three times, strides 2, 2 and 1, then one linear layer."""

    label = "LeNet with sigmoids"
    order = 5
    summary = "Smooth everywhere, which suits the attacks that follow gradients; slow to learn."
    formula = (
        r"C{\times}32{\times}32\to12{\times}16{\times}16\to12{\times}8{\times}8\to12{\times}8{\times}8\to10"
    )
    reference = "Zhu, Liu and Han 2019 (DLG); paper 003's attack"

    start: Annotated[str, Choice(("usual", "wide"))] = Field("usual", description="initial weights")
    """Initial weights: "usual" within ±1/√fan-in, "wide" within ±0.5 as the attack's authors use."""

    smooth = True
    needs = "images of at least 8 × 8 pixels"
    smallest = 8

    def network(self, net: Network, x: Any, classes: int) -> Any:
        for layer, stride in (("conv1", 2), ("conv2", 2), ("conv3", 1)):
            x = net.sigmoid(net.conv(layer, x, 12, 5, stride, padding=2))
        return net.linear("fc", net.flat(x), classes)

    def initial(self, shape: Shape, classes: int, generator: np.random.Generator) -> NDArray[np.float32]:
        """Uniform, within ±1/√fan-in or within ±0.5."""
        if self.start == "usual":
            return super().initial(shape, classes, generator)
        return generator.uniform(-WIDE, WIDE, self.dimension(shape, classes)).astype(np.float32)
