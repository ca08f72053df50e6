"""ResNet-18 for small images, with group normalisation (He et al. 2016; Wu and He 2018)."""

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.fields import Whole
from ldp_core.limits import WIDTH
from ldp_core.models.base import Shape
from ldp_core.models.convolutional import Convolutional, Network


class ResNet18(Convolutional):
    """Four stages of two residual blocks; 11 173 962 weights on CIFAR-10 at the full width of 64.

    Variant for small images: a first convolution of 3 × 3 without pooling. Batch normalisation keeps running
    statistics, which cannot be clipped or perturbed as weights; group normalisation has none.
    """

    label = "ResNet-18"
    order = 6
    summary = "A deep residual network with group normalisation: 11 million weights, slow without a GPU."
    formula = r"x\leftarrow\max\big(0,\;x+\mathrm{GN}(W_2*\max(0,\mathrm{GN}(W_1*x)))\big)"
    reference = "Paper 003; He et al. 2016; Wu and He 2018 (group normalisation)"

    width: Annotated[int, Whole(WIDTH)] = Field(int(WIDTH.default), description="channels of the first stage")

    needs = "images of at least 8 × 8 pixels"
    smallest = 8

    def network(self, net: Network, x: Any, classes: int) -> Any:
        x = net.relu(net.norm("norm", net.conv("conv", x, self.width, 3, padding=1, bias=False)))
        for stage in range(4):
            for block in range(2):
                stride = 2 if stage and not block else 1
                x = self._block(net, f"stage{stage + 1}.block{block + 1}", x, self.width << stage, stride)
        return net.linear("fc", net.mean(x), classes)

    @staticmethod
    def _block(net: Network, name: str, x: Any, out: int, stride: int) -> Any:
        y = net.conv(f"{name}.conv1", x, out, 3, stride, padding=1, bias=False)
        y = net.relu(net.norm(f"{name}.norm1", y))
        y = net.norm(f"{name}.norm2", net.conv(f"{name}.conv2", y, out, 3, padding=1, bias=False))
        if stride > 1:
            x = net.norm(f"{name}.norm3", net.conv(f"{name}.conv3", x, out, 1, stride, bias=False))
        return net.relu(net.add(x, y))

    def initial(self, shape: Shape, classes: int, generator: np.random.Generator) -> NDArray[np.float32]:
        """He's normal for kernels, 1 and 0 for normalisation, ±1/√fan-in for the last layer."""
        parts = []
        for s in self.slices(shape, classes):
            size = s.stop - s.start
            if len(s.shape) == 4:
                parts.append(generator.normal(0, np.sqrt(2 / (s.shape[0] * s.shape[2] ** 2)), size))
            elif s.name.startswith("fc"):
                bound = 1 / np.sqrt(8 * self.width)
                parts.append(generator.uniform(-bound, bound, size))
            else:
                parts.append(np.full(size, 1.0 if s.name.endswith("weight") else 0.0))
        return np.concatenate(parts).astype(np.float32)
