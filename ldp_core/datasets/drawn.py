"""Drawings of people, one each, put before the training samples of a shipped data set."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets.base import Data
from ldp_core.errors import InvalidInput

SIDE, SMALL = 28, 8
"""Side in pixels of a drawing, and of a training sample."""
INK = 20
"""Grey value, of 255, from which on a pixel counts as ink."""
LEAST_INK = 8
NO_PICTURE = f"this is no drawing of {SIDE} × {SIDE} pixels; draw on the square and send it again"


class Drawing(NamedTuple):
    label: int
    pixels: bytes
    """8 × 8 bytes, row by row, 255 for ink."""


def read_pixels(text: Any, side: int = SIDE) -> bytes:
    """Pixels of a square grey image of `side` × `side` bytes in base64; InvalidInput for anything else."""
    try:
        if not isinstance(text, str) or len(text) != 4 * -(-side * side // 3):
            raise ValueError
        found = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        raise InvalidInput(NO_PICTURE) from None
    if len(found) != side * side:
        raise InvalidInput(NO_PICTURE)
    return found


def shrunk(pixels: bytes) -> bytes:
    """A drawing in the format of the digits data: cropped to its ink, padded to a square, averaged to 8 × 8.
    InvalidInput for an almost empty one.
    """
    image = np.frombuffer(pixels, dtype=np.uint8).reshape(SIDE, SIDE).astype(np.float64)
    rows, columns = (np.flatnonzero((image > INK).any(axis=axis)) for axis in (1, 0))
    if (image > INK).sum() < LEAST_INK:
        raise InvalidInput("the square is empty; draw a digit on it first")
    cut = image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    side = max(cut.shape)
    spare = [((side - have) // 2, side - have - (side - have) // 2) for have in cut.shape]
    square = np.pad(cut, spare).repeat(SMALL, axis=0).repeat(SMALL, axis=1)
    small = square.reshape(SMALL, side, SMALL, side).mean(axis=(1, 3))
    return np.round(small * (255 / small.max())).astype(np.uint8).tobytes()


def as_json(drawings: Sequence[Drawing]) -> list[list[Any]]:
    return [[one.label, base64.b64encode(one.pixels).decode()] for one in drawings]


def read_drawings(items: Any) -> tuple[Drawing, ...]:
    """Inverse of `as_json`; InvalidInput for anything but drawings with labels from 0 to 9."""
    try:
        found = tuple(Drawing(int(label), read_pixels(text, SMALL)) for label, text in items)
    except (TypeError, ValueError):
        raise InvalidInput(NO_PICTURE) from None
    if any(not 0 <= one.label <= 9 for one in found):
        raise InvalidInput("a drawing's label is a digit from 0 to 9")
    return found


def with_drawings(data: Data, drawings: Sequence[Drawing]) -> Data:
    """Data with drawings before the training samples, of which drawing i belongs to client i; InvalidInput
    for data of another shape.
    """
    if data.shape != (SMALL, SMALL):
        raise InvalidInput(f"drawings have {SMALL} × {SMALL} pixels, and this data set others")
    own: NDArray[np.float32] = np.stack(
        [np.frombuffer(one.pixels, dtype=np.uint8).reshape(data.shape) for one in drawings]
    ).astype(np.float32)
    return replace(
        data,
        train_x=np.concatenate([own / 255, data.train_x]).astype(np.float32),
        train_y=np.concatenate([np.array([one.label for one in drawings], dtype=np.int64), data.train_y]),
        owned=len(drawings),
    )
