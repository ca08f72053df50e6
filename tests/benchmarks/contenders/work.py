"""The work that all contenders do, and how they are called: plain torch, so that it runs anywhere.

A contender says "ready", does one round for every line that it reads, and answers with how far the
mean of the clients' models has moved, which must be the same for all of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import torch
from torch import nn

CLIENTS = int(os.environ.get("BENCH_CLIENTS", "20"))
EACH = 600
EPOCHS = int(os.environ.get("BENCH_EPOCHS", "1"))
BATCH, RATE = 20, 0.01
MEAN, DEVIATION = 0.1307, 0.3081
"""Of MNIST's pixels."""


def net() -> nn.Module:
    """The papers' network, the same weights every time."""
    torch.manual_seed(0)
    relu = nn.ReLU()
    features = [nn.Conv2d(1, 10, 5), nn.MaxPool2d(2), relu, nn.Conv2d(10, 20, 5), nn.MaxPool2d(2), relu]
    return nn.Sequential(*features, nn.Flatten(), nn.Linear(320, 50), relu, nn.Linear(50, 10))


def samples(standard: bool = True) -> tuple[torch.Tensor, torch.Tensor]:
    """(clients, 600, 28, 28) and (clients, 600).

    Pixels have been standardised in advance, which spares the contenders doing so again and again;
    our model takes pixels in [0, 1] and does it itself.
    """
    generator = torch.Generator().manual_seed(1)
    x = torch.rand(CLIENTS, EACH, 28, 28, generator=generator)
    x = (x - MEAN) / DEVIATION if standard else x
    return x, torch.randint(0, 10, (CLIENTS, EACH), generator=generator)


def vector(module: nn.Module) -> torch.Tensor:
    return nn.utils.parameters_to_vector(module.parameters()).detach().clone()


def serve(one_round: Callable[[], torch.Tensor]) -> None:
    """Do a round for every line; `one_round` starts from `net()` and returns the mean of the models."""
    start = vector(net())
    one_round()  # what is only done once is not measured
    print("ready", flush=True)
    for _ in sys.stdin:
        print(f"moved {float((one_round() - start).norm()):.6f}", flush=True)
