"""Patches of images in backward convolutions, and where gradients stand.

Images are (height, width, channels) here, so that a row of a patch is `size · channels` consecutive numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from llvmlite import ir

from ldp_core.engines.fused.code import POINTER, Code, FloatType, Value, vector
from ldp_core.engines.fused.memory import row_chunks
from ldp_core.models.chain import Conv

PatchPiece = tuple[int, int, int]
"""A vector of a patch: row, position in the row, number of lanes."""


def pieces(layer: Conv, lanes: int, most: int) -> Iterator[list[PatchPiece]]:
    """Vectors of a patch, in lists of at most `most`."""
    every = [(ky, *one) for ky in range(layer.size) for one in row_chunks(layer.size * layer.channels, lanes)]
    per_row = len(every) // layer.size
    at_once = most // per_row * per_row if per_row <= most else most
    for _, group in groupby(enumerate(every), lambda item: item[0] // at_once):
        yield [piece for _, piece in group]


@dataclass(frozen=True)
class Layout:
    """Strides of an array over channels, rows and columns."""

    channel: int
    row: int
    column: int
    first: int = 0

    @classmethod
    def planar(cls, rows: int, columns: int) -> Layout:
        """(channels, rows, columns)."""
        return cls(rows * columns, columns, 1)

    @classmethod
    def patched(cls, reader: Conv) -> Layout:
        """(rows, columns, channels) with the border that the next convolution reads."""
        wide = reader.padded[1] * reader.channels
        return cls(1, wide, reader.channels, reader.padding * (wide + reader.channels))

    def at(self, code: Code, r: Any, c: Any) -> Any:
        """Position in the first channel."""
        return code.plus(code.times(r, self.row), code.times(c, self.column), self.first)


def channels_last(module: Value, number: FloatType, name: str, layer: Conv) -> Value:
    """Generate f(image, patches): (channels, height, width) to (height, width, channels) with the border."""
    code = Code(module, number, name, *[POINTER] * 2)
    image, patches = code.parameters
    layout, pixels = Layout.patched(layer), layer.height * layer.width
    with code.loop(layer.height) as r, code.loop(layer.width) as x:
        row, at = layout.at(code, r, x), code.plus(code.times(r, layer.width), x)
        for c in range(layer.channels):
            code.store(code.load(image, code.plus(at, c * pixels)), patches, code.plus(row, c))
    return code.end()


def kept(code: Code, sums: Value, layer: Conv, x: int) -> Value:
    """A vector of a kernel's gradient at position x of its row, with 0 in what lies behind the patch."""
    inside, n = layer.size * layer.channels, sums.type.count
    if x + n <= inside:
        return sums
    mask = ir.Constant(vector(ir.IntType(1), n), [x + i < inside for i in range(n)])
    return code.b.select(mask, sums, code.constant(0.0, n))


def places(code: Code, layer: Conv, layout: Layout) -> Iterator[tuple[Value, Value, Value]]:
    """Loop over the maxima, or outputs; yields the index, the position of the gradient in the first channel,
    and the offset of the patch of the square's first pixel.
    """
    rows, columns = layer.pooled
    step, seen = layer.pool * layer.stride, Layout.patched(layer)
    with code.loop(rows) as r, code.loop(columns) as c:
        corner = code.plus(code.times(r, step * seen.row), code.times(c, step * seen.column))
        yield code.plus(code.times(r, columns), c), layout.at(code, r, c), corner
