"""Uploads as a plain PyTorch loop makes them, and their cards."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core import models
from ldp_core.datasets import data_dir, get
from tests.models.modules import module

DENSE, LENET = {"layers": "dense 32 relu"}, "lenet"


def digits(count: int = 1, start: int = 0) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    data = get("digits").load(data_dir())
    return data.train_x[start : start + count], data.train_y[start : start + count]


def upload(
    model: Any = DENSE,
    count: int = 1,
    steps: int = 1,
    decay: float = 0.0,
    rate: float = 0.1,
    momentum: float = 0.0,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and card of one client's SGD on the first digits."""
    (own,) = [models.get("own", **model)] if isinstance(model, dict) else [models.get(model)]
    plain = module(own, (8, 8), 10)
    torch.manual_seed(0)
    for one in plain.modules():
        if isinstance(one, torch.nn.Linear | torch.nn.Conv2d):
            one.reset_parameters()
    x, y = (torch.from_numpy(part) for part in digits(count))
    arrays = {f"before/{name}": one.detach().numpy().copy() for name, one in plain.named_parameters()}
    descent = torch.optim.SGD(plain.parameters(), lr=rate, weight_decay=decay, momentum=momentum)
    for _ in range(steps):
        descent.zero_grad()
        torch.autograd.backward(torch.nn.functional.cross_entropy(plain(x), y))
        descent.step()
    arrays |= {f"after/{name}": one.detach().numpy().copy() for name, one in plain.named_parameters()}
    card = {"model": model, "shape": [8, 8], "classes": 10, "learning_rate": rate}
    return arrays, card | {"steps": steps, "batch": count}


def failed(found: dict[str, Any]) -> list[str]:
    return [one["assumption"] for one in found["assumptions"] if one["holds"] is False]
