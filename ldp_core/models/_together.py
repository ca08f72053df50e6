"""Interpreter of an architecture for all clients at once, by patches and batched products, for a GPU.

Every client has its own weights, so a convolution of K clients is K products of kernels with image patches;
grouped convolutions compute the same but are slow for that many groups. Activations are (K, C, B, H, W), so
that each product's result is in place for the next.
"""

import torch
from torch import Tensor
from torch.nn import functional

from ldp_core.models._alone import Alone, groups


class Together(Alone):
    """Operators on (K, C, B, H, W), or (K, B, F) once flat; parameters (K, …)."""

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
