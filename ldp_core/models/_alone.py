"""Interpreter of an architecture for one client: PyTorch's operators, images channels-last.

On a CPU channels-last is faster, as max-pooling is vectorised over channels (measured: 1.4 times the default
layout on the papers' CNN).
"""

from math import gcd

import torch
from torch import Tensor
from torch.nn import functional

from ldp_core.models._sizes import moments


def groups(channels: int) -> int:
    """Number of groups of about 16 channels that divides the channels (Wu and He 2018, table 3)."""
    return gcd(channels, max(1, channels // 16))


class Alone:
    """Operators on (B, C, H, W), or (B, F) once flat; parameters without a client axis."""

    def __init__(self, parameters: dict[str, Tensor]) -> None:
        self._parameters = parameters

    @staticmethod
    def images(x: Tensor) -> Tensor:
        if x.dim() == 2:  # numbers, no images
            return x
        if x.dim() == 3:
            # of one channel, both layouts are the same in memory; the strides say which one is meant
            return x.unsqueeze(3).permute(0, 3, 1, 2)
        return x.contiguous(memory_format=torch.channels_last)

    def standard(self, x: Tensor) -> Tensor:
        mean, deviation = moments(x.shape[1])
        return (x - mean) / deviation

    def conv(
        self, name: str, x: Tensor, out: int, size: int, stride: int = 1, padding: int = 0, bias: bool = True
    ) -> Tensor:
        weight, offset = self._parameters[f"{name}.weight"], self._parameters.get(f"{name}.bias")
        if size == 1 and stride > 1:
            # the same pixels, chosen here: oneDNN writes past its memory where it chooses them itself among
            # 4 to 7 channels on a processor with AVX2 alone (PyTorch 2.13)
            x = functional.pad(x, (padding,) * 4) if padding else x
            x, stride, padding = x[:, :, ::stride, ::stride], 1, 0
        return functional.conv2d(x, weight, offset, stride, padding)

    def norm(self, name: str, x: Tensor) -> Tensor:
        weight, bias = self._parameters[f"{name}.weight"], self._parameters[f"{name}.bias"]
        return functional.group_norm(x, groups(x.shape[1]), weight, bias)

    def linear(self, name: str, x: Tensor, out: int) -> Tensor:
        return functional.linear(x, self._parameters[f"{name}.weight"], self._parameters[f"{name}.bias"])

    def pool(self, x: Tensor, size: int = 2) -> Tensor:
        if x.requires_grad or size != 2:
            return functional.max_pool2d(x, size)
        # the same maxima, four to seven times as fast; where they came from matters to gradients alone
        height, width = (side // 2 * 2 for side in x.shape[2:])
        rows = torch.maximum(x[:, :, 0:height:2], x[:, :, 1:height:2])
        return torch.maximum(rows[..., 0:width:2], rows[..., 1:width:2])

    def average(self, x: Tensor, size: int) -> Tensor:
        return functional.avg_pool2d(x, size)

    def mean(self, x: Tensor) -> Tensor:
        return x.mean((2, 3))

    def flat(self, x: Tensor) -> Tensor:
        return x.flatten(1)

    def relu(self, x: Tensor) -> Tensor:
        return functional.relu_(x)

    def sigmoid(self, x: Tensor) -> Tensor:
        return x.sigmoid()

    def tanh(self, x: Tensor) -> Tensor:
        return x.tanh()

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y
