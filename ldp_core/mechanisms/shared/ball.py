"""Vectors in a ball around 0, for mechanisms whose inputs are whole uploads of a bounded length."""

from __future__ import annotations

import numpy as np

from ldp_core.mechanisms.base import Floating


def shortened(values: Floating, norm: float) -> Floating:
    """Vectors along the last axis scaled to length `norm` at most; shorter ones keep their bits."""
    length = np.linalg.norm(values.astype(np.float64), axis=-1, keepdims=True)
    shorter = values * (norm / np.maximum(length, norm))
    projected: Floating = np.where(length > norm, shorter, values).astype(values.dtype)
    return projected
