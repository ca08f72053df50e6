"""Gradients of which each record's is clipped to a length, where a budget is a record's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor

    from ldp_core.models.base import Model, Tensors

TOGETHER = 2**24
"""Largest number of values in the gradients of records that are computed one by one at a time."""


@dataclass(frozen=True)
class RecordClipping:
    """Length of a record's gradient, and the divisor of their sum."""

    length: float
    """Euclidean length that a longer gradient is scaled to."""
    count: float
    """Public number of records that the sum is divided by, whatever a client holds."""


def clipped_gradients(
    model: Model, parameters: Tensors, x: Tensor, y: Tensor, weight: Tensor, by: RecordClipping
) -> Tensors:
    """Like `Model.gradients`, of each record's gradient clipped; of `weight` only whether it is 0 counts."""
    factor = (by.length / gradient_lengths(model, parameters, x, y)).clamp(
        max=1
    )  # 1 for a gradient of 0, too
    return model.gradients(parameters, x, y, (weight > 0) * factor / by.count)


def gradient_lengths(model: Model, parameters: Tensors, x: Tensor, y: Tensor) -> Tensor:
    """Euclidean length of the gradient of each record's cross-entropy, (K, B)."""
    import torch

    classes = next(reversed(parameters.values())).shape[1]
    size = sum(p[0].numel() for p in parameters.values())
    step = max(1, TOGETHER // max(size, model.activations(tuple(x.shape[2:]), classes)))
    found = x.new_empty(y.shape)
    for client, first in np.ndindex(len(y), -(-y.shape[1] // step)):
        rows = client, slice(first * step, (first + 1) * step)
        own = {name: p[client] for name, p in parameters.items()}
        targets = torch.nn.functional.one_hot(y[rows], classes).to(x.dtype)
        with torch.no_grad():
            parts = model.traced(own, x[rows], targets)
            squares = (p.square() if p.rank_one else p.whole().square().sum(1) for p in parts)
            found[rows] = sum(squares, x.new_zeros(())).sqrt()
    return found
