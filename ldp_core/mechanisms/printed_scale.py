"""Piecewise as paper 003 prints it: the scale is the upload's own largest weight.

With t = max θ some weights may be below −t. Their window then begins below −C, where no weight in [−t, t] has
outputs: such an output reveals the weight, whatever ε is. And t itself is private data, revealed by the range
of the outputs. If no weight is positive the paper divides by zero or flips signs; here max |θ| is used.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ldp_core.mechanisms.base import Floats, as_floats
from ldp_core.mechanisms.shared.blocks import where


def scaled(value: ArrayLike, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """v = θ/t and the scale t, over the last axis of the clipped values.

    A scalar stands for a weight of an upload whose largest weight is at the range's upper end.
    """
    theta = np.clip(as_floats(value, "value"), low, high)
    upload = theta if np.ndim(value) else np.stack(np.broadcast_arrays(high, theta), axis=-1)
    top = upload.max(axis=-1, keepdims=True)
    size = np.maximum(np.abs(upload).max(axis=-1, keepdims=True), 1e-300)
    scale = np.where(top > 0, top, size)
    if not np.ndim(value):
        scale = scale[..., 0]
    return theta / scale, np.broadcast_to(scale, theta.shape)


def moments(v: Floats, epsilon: Floats) -> tuple[Floats, Floats]:
    """Mean and variance for v below −1, where the window has left [−C, C] on one side."""
    q, gap = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
    bound, window = (1 + q) / gap, 2 * q / gap
    left = (v - q) / gap
    right, share = left + window, 1 / (1 + q)
    inside, outside = left + window / 2, (right + bound) / 2
    mean = share * inside + (1 - share) * outside
    spread = share * window**2 / 12 + (1 - share) * (bound - right) ** 2 / 12
    return mean, spread + share * (1 - share) * (inside - outside) ** 2


def sample(v: Any, u: Any, k: Any) -> Any:
    """Outputs for v below −1: the window as usual, otherwise uniform from its right end to C."""
    window = 2 * k["q"] / k["gap"]
    right = (v - k["q"]) / k["gap"] + window
    inside = right - window * (1 - (u - k["p_outside"]) * (1 + k["q"]))
    outside = right + (k["bound"] - right) * u / np.clip(k["p_outside"], 1e-30, None)
    return where(u < k["p_outside"], outside, inside)


def log_density(y: Floats, v: Floats, epsilon: Floats) -> Floats:
    """Log density for v below −1."""
    q, gap = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
    bound, window = (1 + q) / gap, 2 * q / gap
    left = (v - q) / gap
    right = left + window
    inside = -np.log1p(q) - np.log(window)
    outside = np.log(q) - np.log1p(q) - np.log(bound - right)
    blur = 1e-6 * (1 + np.abs(left))  # float32 may round past the end
    result = np.where((y >= left - blur) & (y <= right), inside, outside)
    return np.where((y >= left - blur) & (y <= bound + blur), result, -np.inf)


def distinguishing_delta(epsilon: float, d: int) -> float:
    """Lower bound on δ, at any ε, between an upload with scale t and one with 0.9 t.

    Both have d weights at 0; an output beyond 0.9·C·t comes from the larger scale only.
    """
    q = np.exp(-epsilon / 2)
    bound = (1 + q) / (1 - q)
    once = q / (1 + q) * 0.2 * bound / (bound + 1)
    return float(-np.expm1(d * np.log1p(-once)))
