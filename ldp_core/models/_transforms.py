"""Private transforms that a client may put before or after the shared network (paper 003, table 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

LEARNED = ("affine", "log", "tanh", "sigmoid")
"""Transforms of ax + b with each client's own a and b."""
TRANSFORMS = ("none", *LEARNED, "gain")
"""All transforms: `none` is the identity, `gain` multiplies by one public number."""


def transformed(
    name: str, x: torch.Tensor, a: torch.Tensor | None, b: torch.Tensor | None, gain: float
) -> torch.Tensor:
    """x through a transform; a and b broadcast with it, and are None if nothing is learnt.

    log(1 + ax + b) is NaN where ax + b < −1, as in the paper.
    """
    if name == "none":
        return x
    if name == "gain" or a is None or b is None:
        return x * gain
    y = a * x + b
    if name == "log":
        return y.log1p()
    if name == "tanh":
        return y.tanh()
    return y.sigmoid() if name == "sigmoid" else y


def slope(name: str, y: torch.Tensor) -> torch.Tensor | float:
    """Slope of the learned transform ax + b at its output y."""
    if name == "log":
        return (-y).exp()
    if name == "tanh":
        return 1 - y * y
    return y * (1 - y) if name == "sigmoid" else 1.0
