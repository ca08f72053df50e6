"""The work that all contenders do, and how they are called.

A contender says "ready", does as many rounds as each line says that it reads, and answers with how far the
mean of the clients' models has moved, which must be the same for all. The environment says what: BENCH_CASE.
"""

import json
import math
import os
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from ldp_core import models
from ldp_core.models import Model
from ldp_core.streams import stream
from tests.models.modules import module

CASE: dict[str, Any] = json.loads(os.environ["BENCH_CASE"])
CLIENTS, EACH, SHAPE = CASE["clients"], CASE["each"], tuple(CASE["shape"])
BATCH, RATE = min(20, EACH), 0.01


def model() -> Model:
    return models.get(CASE["model"], **CASE["parameters"])


def net() -> nn.Module:
    """The model in torch.nn, with the same weights every time."""
    ours, hidden = model(), CASE["parameters"].get("hidden")
    found = module(ours, SHAPE)
    if hidden:
        layers = nn.Linear(math.prod(SHAPE), hidden), nn.ReLU(), nn.Linear(hidden, 10)
        found = nn.Sequential(nn.Flatten(), *layers)
    start = torch.from_numpy(ours.initial(SHAPE, 10, stream(0, "initial model")))
    nn.utils.vector_to_parameters(start, found.parameters())
    return found


def samples() -> tuple[torch.Tensor, torch.Tensor]:
    """Pixels in [0, 1], (clients, samples, *shape), and labels."""
    generator = torch.Generator().manual_seed(1)
    x = torch.rand(CLIENTS, EACH, *SHAPE, generator=generator)
    return x * (x < 0.4), torch.randint(0, 10, (CLIENTS, EACH), generator=generator)


def trained(net: nn.Module, x: torch.Tensor, y: torch.Tensor) -> None:
    """One epoch of one client, as a tutorial has it."""
    optimizer = torch.optim.SGD(net.parameters(), lr=RATE)
    for images, labels in zip(torch.split(x, BATCH), torch.split(y, BATCH), strict=True):
        optimizer.zero_grad()
        torch.autograd.backward(nn.functional.cross_entropy(net(images), labels))
        optimizer.step()


def vector(module: nn.Module) -> torch.Tensor:
    return nn.utils.parameters_to_vector(module.parameters()).detach().clone()


def serve(one_round: Callable[[], torch.Tensor]) -> None:
    """Do a round for every line; `one_round` starts from `net()` and returns the mean of the models."""
    start = vector(net())
    one_round()  # what is only done once is not measured
    print("ready", flush=True)
    for line in sys.stdin:
        for _ in range(int(line)):
            moved = one_round()
        print(f"moved {float((moved - start).norm()):.6f}", flush=True)
