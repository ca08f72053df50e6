"""Synthetic drawings of lines, made from no data."""

from __future__ import annotations

import numpy as np

from ldp_core.features.base import Images
from ldp_core.streams import stream

SIDE = 28
POINTS = 24
"""Number of points on a curve."""


def strokes(count: int) -> Images:
    """Drawings (count, 28, 28): one to three quadratic curves, mostly connected, by a soft pen; centred."""
    draw = stream(7, "strokes")
    ys, xs = (axis.astype(np.float32) for axis in np.mgrid[0:SIDE, 0:SIDE])
    pen = draw.uniform(0.8, 1.6, count)
    number = draw.integers(1, 4, count)
    nearest = np.full((count, SIDE, SIDE), np.inf, np.float32)
    end = draw.uniform(5, 23, (count, 2))
    for curve in range(3):
        goes_on = draw.random(count) < 0.7
        begin = np.where(goes_on[:, None], end, draw.uniform(5, 23, (count, 2)))
        bend, end = draw.uniform(2, 26, (count, 2)), draw.uniform(5, 23, (count, 2))
        drawn = np.flatnonzero(number > curve)
        found = nearest[drawn]
        for t in np.linspace(0, 1, POINTS):
            at = ((1 - t) ** 2 * begin + 2 * t * (1 - t) * bend + t * t * end)[drawn].astype(np.float32)
            far = (ys[0:SIDE, :1] - at[:, :1, None]) ** 2 + (xs[:1] - at[:, 1:, None]) ** 2
            np.minimum(found, far, out=found)
        nearest[drawn] = found
    drawings = np.clip(1.5 + pen[:, None, None] - np.sqrt(nearest), 0, 1).astype(np.float32)
    mass = drawings.sum((1, 2))
    down = np.rint((drawings * ys).sum((1, 2)) / mass - (SIDE - 1) / 2).astype(int)
    right = np.rint((drawings * xs).sum((1, 2)) / mass - (SIDE - 1) / 2).astype(int)
    return np.stack([np.roll(one, (-a, -b), (0, 1)) for one, a, b in zip(drawings, down, right, strict=True)])
