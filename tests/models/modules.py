"""Every model a second time, as a tutorial would write it: the reference that ours must equal."""

import math
from itertools import pairwise
from typing import Any

import torch
from torch import nn

from ldp_core import models
from ldp_core.models import Model
from ldp_core.models.dense import Dense
from ldp_core.models.own import OwnLayers

SMALL: dict[str, dict[str, Any]] = {"resnet18": {"width": 8}}
"""Parameters that keep the tests quick."""
LISTED = (
    "dense 12 sigmoid, dense 9 relu",
    "conv 4 5 relu, pool 2, dense 20 relu",
    "conv 3 3 stride 2 padding 1 sigmoid, pool 3, conv 4 1 none",
    "conv 5 3 tanh, avg_pool 2, conv 3 1 stride 2 padding 1 tanh, dense 8 tanh",
)
CASES = [
    (one, shape)
    for one in [
        *(models.get(name, **SMALL.get(name, {})) for name in models.names()),
        *(models.get("own", layers=text) for text in LISTED),
    ]
    for shape in [(8, 8), (28, 28), (3, 32, 32), (54,)]
    if one.fits(shape)
]


def name_of(case: Any) -> str:
    return case.name if isinstance(case, Model) else "x".join(map(str, case))


class Block(nn.Module):
    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.norm1 = group_norm(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.norm2 = group_norm(out)
        if stride > 1:
            self.conv3 = nn.Conv2d(channels, out, 1, stride, bias=False)
            self.norm3 = group_norm(out)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm2(self.conv2(torch.relu(self.norm1(self.conv1(x)))))
        if hasattr(self, "conv3"):
            x = self.norm3(self.conv3(x))
        return torch.relu(x + y)


def listed(model: OwnLayers, shape: tuple[int, ...], classes: int) -> list[nn.Module]:
    """By the lazy layers of torch, which find out by themselves what comes in."""
    parts: list[nn.Module] = [Grey()] if len(shape) > 1 else []
    activations = {"relu": nn.ReLU, "sigmoid": nn.Sigmoid, "tanh": nn.Tanh, "none": nn.Identity}
    for one in model.stack:
        if one.kind == "pool":
            parts.append(nn.MaxPool2d(one.size))
        elif one.kind == "avg_pool":
            parts.append(nn.AvgPool2d(one.size))
        elif one.kind == "conv":
            parts.append(nn.LazyConv2d(one.channels, one.size, one.stride, one.padding))
        else:
            parts += [nn.Flatten(), nn.LazyLinear(one.units)]
        parts.append(activations[one.activation]())
    found = nn.Sequential(*parts, nn.Flatten(), nn.LazyLinear(classes))
    found(torch.zeros(2, *shape))
    return [*found]


def group_norm(channels: int) -> nn.Module:
    return nn.GroupNorm(math.gcd(channels, max(1, channels // 16)), channels)


class Grey(nn.Module):
    """Gives images without channels one."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x if x.dim() == 4 else x.unsqueeze(1)


class Standard(nn.Module):
    """The usual constants of MNIST and of CIFAR-10."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean, deviation = (0.1307, 0.3081) if x.shape[1] == 1 else (0.4734, 0.2516)
        return (x - mean) / deviation


def module(model: Model, shape: tuple[int, ...], classes: int = 10) -> nn.Module:
    """The same architecture in torch.nn, its parameters in the same order."""
    relu, flat = nn.ReLU(), nn.Flatten()
    features = math.prod(shape)
    channels = shape[0] if len(shape) == 3 else 1
    parts: list[nn.Module]
    if model.name == "cnn":
        side = ((shape[-1] - 4) // 2 - 4) // 2
        first, second = nn.Conv2d(channels, 10, 5), nn.Conv2d(10, 20, 5)
        parts = [Grey(), Standard(), first, nn.MaxPool2d(2), relu, second, nn.MaxPool2d(2), relu]
        parts += [flat, nn.Linear(20 * side**2, 50), relu, nn.Linear(50, classes)]
    elif model.name == "lenet":
        convolutions = [nn.Conv2d(c, 12, 5, s, 2) for c, s in ((channels, 2), (12, 2), (12, 1))]
        parts = [Grey(), *(part for conv in convolutions for part in (conv, nn.Sigmoid()))]
        side = -(-shape[-1] // 4)
        parts += [flat, nn.Linear(12 * side**2, classes)]
    elif model.name == "resnet18":
        width = SMALL["resnet18"]["width"]
        parts = [Grey(), nn.Conv2d(channels, width, 3, 1, 1, bias=False), group_norm(width), relu]
        for stage in range(4):
            out = width << stage
            parts += [Block(out // 2 if stage else width, out, 2 if stage else 1), Block(out, out, 1)]
        parts += [nn.AdaptiveAvgPool2d(1), flat, nn.Linear(width << 3, classes)]
    elif isinstance(model, OwnLayers):
        return nn.Sequential(*listed(model, shape, classes))
    elif isinstance(model, Dense):
        widths = [features, *model.hidden_widths(), classes]
        parts = []
        for fan_in, fan_out in pairwise(widths):
            parts += [nn.Linear(fan_in, fan_out), relu]
        parts.pop()
    else:
        raise NotImplementedError(f"write {model.name} down here, so that it is held against something")
    if not isinstance(parts[0], Grey):
        parts.insert(0, flat)
    return nn.Sequential(*parts)
