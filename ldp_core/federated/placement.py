"""Data sets on the training device, shared between runs."""

from __future__ import annotations

import numpy as np
import torch

from ldp_core.datasets import Data
from ldp_core.features import Features

PLACED = 4
"""Number of data sets, or features of one, cached on devices."""
_placed: dict[tuple[int, Features, str, float], tuple[Data, tuple[torch.Tensor, ...]]] = {}
"""Cached tensors, with the data, so that the data's id is not reused."""


def on_device(data: Data, features: Features, device: torch.device, scale: float) -> tuple[torch.Tensor, ...]:
    """Features and labels on the device, training then test, features times `scale`; cached over runs."""
    key = (id(data), features, str(device), scale)
    if key not in _placed:
        made = features.of_data(data)
        samples = made.train_x, made.test_x
        train_x, test_x = samples if scale == 1 else (x * np.float32(scale) for x in samples)
        arrays = train_x, data.train_y, test_x, data.test_y
        while len(_placed) >= PLACED:
            _placed.pop(next(iter(_placed)))
        _placed[key] = data, tuple(torch.from_numpy(array).to(device) for array in arrays)
    return _placed[key][1]
