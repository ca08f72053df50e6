"""Centring and deslanting of drawings by their moments."""

from typing import Annotated

import numpy as np

from ldp_core.features.base import Images
from ldp_core.fields import Choice

MOST = 1.0
Straighten = Annotated[str, Choice(("no", "yes"))]


def straightened(images: Images) -> Images:
    """Images (n, h, w) or (n, channels, h, w), centred at their centre of mass and sheared upright, by linear
    interpolation; channels together.
    """
    whole = images if images.ndim == 3 else images.mean(1)
    n, h, w = whole.shape
    middle_y, middle_x = (h - 1) / 2, (w - 1) / 2
    ys, xs = (np.arange(side, dtype=np.float32) for side in (h, w))
    rows = whole.sum(2)
    mass = rows.sum(1) + 1e-6
    y, x = rows @ ys / mass, whole.sum(1) @ xs / mass
    dy = ys - y[:, None]
    leaning = ((whole @ xs - x[:, None] * rows) * dy).sum(1)
    slope = np.clip(leaning / ((rows * dy**2).sum(1) + 1e-3), -MOST, MOST)
    aside = (x - middle_x)[:, None] + slope[:, None] * (ys - middle_y)
    each = images.reshape(n, -1, h, w).transpose(1, 0, 2, 3)
    moved = [
        _shifted(_shifted(one.swapaxes(1, 2), y[:, None] - middle_y).swapaxes(1, 2), aside) for one in each
    ]
    return np.stack(moved, 1).reshape(images.shape)


def _shifted(images: Images, by: np.ndarray) -> Images:
    """Rows of (n, rows, side) shifted left by `by` (n, rows or 1) pixels; 0 from outside."""
    n, rows, side = images.shape
    by = np.broadcast_to(np.clip(by, -side, side), (n, rows))
    whole = np.floor(by)
    part = (by - whole).astype(np.float32)[..., None]
    padded = np.zeros((n, rows, 3 * side + 2), np.float32)
    padded[..., side : 2 * side] = images
    start = (np.arange(n * rows) * padded.shape[-1]).reshape(n, rows) + side + whole.astype(np.int64)
    place = start[..., None] + np.arange(side)
    flat = padded.reshape(-1)
    return (1 - part) * flat[place] + part * flat[place + 1]
