"""Patches of images in backward convolutions, and where gradients stand.

Images are (height, width, channels) here, so that a row of a patch is `size · channels` consecutive numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from llvmlite import ir

from ldp_core.engines.fused.code import POINTER, Code, Number, Value, vector
from ldp_core.engines.fused.memory import row_chunks, row_stride
from ldp_core.models.chain import Conv

Piece = tuple[int, int, int]
"""A vector of a patch: row, position in the row, number of lanes."""


def pieces(layer: Conv, lanes: int, most: int) -> Iterator[list[Piece]]:
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

    def over(self, code: Code, channels: int, rows: int, columns: int) -> Iterator[tuple[Value, ...]]:
        """Loop over channels, rows and columns; yields these and the position."""
        with code.loop(channels) as o, code.loop(rows) as r, code.loop(columns) as c:
            yield o, r, c, code.plus(code.times(o, self.channel), self.at(code, r, c))


def channels_last(module: Value, number: Number, name: str, layer: Conv) -> Value:
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


def add_kernels(
    code: Code,
    layer: Conv,
    some: list[Piece],
    patch: Value,
    count: Any,
    listed: Callable[[Value], tuple[Value, Value]],
) -> None:
    """Add kernels, each times its value, to some vectors of a patch; `listed` gives value and kernel by
    number.
    """
    row, wide = row_stride(layer.size * layer.channels, code.number.lanes), Layout.patched(layer).row
    sums = [code.cell(code.load(patch, ky * wide + x, n)) for ky, x, n in some]
    with code.loop(count) as w:
        g, kernel = listed(w)
        code.add_products(sums, [g], [code.load(kernel, ky * row + x, n) for ky, x, n in some])
    for one, (ky, x, _) in zip(sums, some, strict=True):
        code.store(code.get(one), patch, ky * wide + x)
