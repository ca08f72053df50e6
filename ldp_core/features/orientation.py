"""Histograms of signed edge orientation per cell of the image."""

from functools import lru_cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.features._straight import Straighten, straightened
from ldp_core.features.base import Features, Images, grey, on_both_axes
from ldp_core.fields import Whole
from ldp_core.limits import Limit
from ldp_core.streams import stream

SIDE = 28
POINTS = 24
CELLS, DIRECTIONS = 4, 8
WIDTH = CELLS * CELLS * DIRECTIONS
MARGIN = 2
"""Pixels at the edge that belong to no cell."""
BOX = 20
"""Side in pixels of a scaled small image within the 28 × 28, as large as the strokes."""
DRAWINGS = 3000


class Orientation(Features):
    """Images of any size are scaled to 28 × 28 grey pixels first."""

    label = "orientation of lines"
    order = 4
    summary = (
        "Straightens the drawing and counts which way its edges run in each of 4 × 4 cells; then compares "
        "with how strokes vary that a program draws."
    )
    formula = (
        r"\varphi_{cb}=\sqrt{\textstyle\sum_u k_c(u)\,m(u)\,\ell_b(\theta(u))},\quad "
        r"z\propto\Lambda^{-1/2}U^\top(\varphi-\mu)"
    )
    reference = "Dalal and Triggs 2005; honest-frontier, section 2"
    assumed = (
        "That images are drawings whose lines matter, and 3 000 strokes that a program draws; no image of "
        "anybody. That such features suit digits is what decades of public work on them taught."
    )

    straighten: Straighten = "yes"
    directions: Annotated[int, Whole(Limit(0, WIDTH, 64, "directions"))] = Field(
        64, description="strongest directions of the strokes that are kept; 0: no strokes, all 128 histograms"
    )

    def width(self, shape: tuple[int, ...]) -> int:
        return self.directions or WIDTH

    def numbers(self, images: Images) -> Images:
        found = _histograms(images, self.straighten == "yes")
        if not self.directions:
            return found
        mean, turn = _whitening(self.directions, self.straighten == "yes")
        return np.asarray((found - mean) @ turn, np.float32)


def _histograms(images: Images, upright: bool) -> Images:
    """Histograms (n, 128), each of length 1."""
    drawn = _canvas(grey(images))
    drawn = straightened(drawn) if upright else drawn
    across, down = np.zeros_like(drawn), np.zeros_like(drawn)
    across[:, :, 1:-1] = drawn[:, :, 2:] - drawn[:, :, :-2]
    down[:, 1:-1] = drawn[:, 2:] - drawn[:, :-2]
    image, place = np.nonzero(((across != 0) | (down != 0)).reshape(len(drawn), -1))
    x, y = (one.reshape(len(drawn), -1)[image, place] for one in (across, down))
    turned = np.arctan2(y, x) * np.float32(DIRECTIONS / (2 * np.pi))
    before = np.floor(turned)
    part, size = turned - before, np.hypot(x, y)
    spread = np.zeros((len(drawn), DIRECTIONS, SIDE * SIDE), np.float32)
    nearest = before.astype(np.int64)
    spread[image, nearest % DIRECTIONS, place] = size * (1 - part)
    spread[image, (nearest + 1) % DIRECTIONS, place] = size * part
    found = np.sqrt(spread @ _pooling()).transpose(0, 2, 1).reshape(len(drawn), WIDTH)
    long: Images = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), np.float32(1e-9))
    return long


@lru_cache(maxsize=1)
def _pooling() -> Images:
    """Weight of each pixel in each cell, (784, 16), falling linearly to the next cell's centre."""
    wide = (SIDE - 2 * MARGIN - 1) / CELLS
    middles = MARGIN + wide * (np.arange(CELLS) + 0.5)
    axis = np.clip(1 - np.abs(np.arange(SIDE) - middles[:, None]) / wide, 0, None)
    return np.einsum("cy,dx->yxcd", axis, axis).reshape(SIDE * SIDE, CELLS * CELLS).astype(np.float32)


def _canvas(images: Images) -> Images:
    """Images (n, h, w) scaled to 28 × 28 pixels, by linear interpolation."""
    if images.shape[1:] == (SIDE, SIDE):
        return images
    return on_both_axes(_stretched(images.shape[1]), images, _stretched(images.shape[2]))


def _stretched(side: int) -> NDArray[np.float64]:
    drawn = min(SIDE, max(BOX, side))
    where = np.clip((np.arange(drawn) + 0.5) * side / drawn - 0.5, 0, side - 1)
    edge = (SIDE - drawn) // 2
    found = np.zeros((SIDE, side))
    found[edge : edge + drawn] = np.clip(1 - np.abs(where[:, None] - np.arange(side)), 0, None)
    return found


@lru_cache(maxsize=4)
def _whitening(directions: int, upright: bool) -> tuple[Images, Images]:
    """Mean of the synthetic drawings' histograms, and the projection to their strongest principal directions,
    scaled by the root of variance plus mean variance against blowing up weak ones.
    """
    found = _histograms(strokes(DRAWINGS), upright).astype(np.float64)
    size, turn = np.linalg.eigh(np.cov(found.T))
    kept = turn[:, -directions:] / np.sqrt(np.maximum(size[-directions:], 0) + size.mean())
    return found.mean(0).astype(np.float32), kept.astype(np.float32)


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
