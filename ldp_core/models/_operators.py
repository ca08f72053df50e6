"""Interpreters of an architecture: for one client by PyTorch's operators, and for all by batched products.

On a CPU images of one client are channels-last, as max-pooling is vectorised over channels then (measured:
1.4 times the default layout on the papers' CNN).
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


class Together(Alone):
    """Operators on (K, C, B, H, W), or (K, B, F) once flat; parameters (K, …), for a GPU.

    Every client has its own weights, so a convolution of K clients is K products of kernels with image
    patches; grouped convolutions compute the same but are slow for that many groups. Activations are (K, C,
    B, H, W), so that each product's result is in place for the next.
    """

    @staticmethod
    def images(x: Tensor) -> Tensor:
        return x.transpose(1, 2) if x.dim() == 5 else x.unsqueeze(1)

    def conv(
        self, name: str, x: Tensor, out: int, size: int, stride: int = 1, padding: int = 0, bias: bool = True
    ) -> Tensor:
        clients, _, batch = x.shape[:3]
        if padding:
            x = functional.pad(x, (padding,) * 4)
        patches = x.unfold(3, size, stride).unfold(4, size, stride)
        height, width = patches.shape[3:5]
        columns = patches.permute(0, 1, 5, 6, 2, 3, 4).reshape(clients, -1, batch * height * width)
        weight = self._parameters[f"{name}.weight"].flatten(2)
        if bias:
            y = torch.baddbmm(self._parameters[f"{name}.bias"].unsqueeze(2), weight, columns)
        else:
            y = weight @ columns
        return y.view(clients, out, batch, height, width)

    def norm(self, name: str, x: Tensor) -> Tensor:
        clients, channels = x.shape[:2]
        grouped = x.view(clients, groups(channels), -1, *x.shape[2:])
        variance, mean = torch.var_mean(grouped, dim=(2, 4, 5), keepdim=True, correction=0)
        y = ((grouped - mean) * (variance + 1e-5).rsqrt()).flatten(1, 2)
        weight, bias = (
            self._parameters[f"{name}.{part}"].view(clients, channels, 1, 1, 1) for part in ("weight", "bias")
        )
        return torch.addcmul(bias, y, weight)

    def linear(self, name: str, x: Tensor, out: int) -> Tensor:
        weight, bias = self._parameters[f"{name}.weight"], self._parameters[f"{name}.bias"]
        return torch.baddbmm(bias.unsqueeze(1), x, weight.transpose(1, 2))

    def pool(self, x: Tensor, size: int = 2) -> Tensor:
        y = super().pool(x.flatten(0, 1), size)
        return y.view(*x.shape[:2], *y.shape[1:])

    def average(self, x: Tensor, size: int) -> Tensor:
        y = super().average(x.flatten(0, 1), size)
        return y.view(*x.shape[:2], *y.shape[1:])

    def mean(self, x: Tensor) -> Tensor:
        return x.mean((3, 4)).transpose(1, 2)

    def flat(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2).flatten(2)
