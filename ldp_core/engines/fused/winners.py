"""Backward convolution: only the winners of max pooling carry a gradient, where ReLU passes it. Without
pooling, each output is a winner.

Images are (height, width, channels) here, so that a row of a patch is `size · channels` consecutive numbers.
Each winner adds its patch times its gradient to the kernel's gradient, and its kernel times its gradient to
the patch's gradient; all winners at one position are summed and written once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import Any

from llvmlite import ir

from ldp_core.engines.fused.activations import before
from ldp_core.engines.fused.code import POINTER, SHORT, WHOLE, Code, Number, Value, looped, vector
from ldp_core.engines.fused.memory import row_chunks, row_stride
from ldp_core.engines.fused.tile import Tile
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
    """Generate f(image, patches): from (channels, height, width) to (height, width, channels) with the border."""
    code = Code(module, number, name, *[POINTER] * 2)
    image, patches = code.parameters
    layout, pixels = Layout.patched(layer), layer.height * layer.width
    with code.loop(layer.height) as r, code.loop(layer.width) as x:
        row, at = layout.at(code, r, x), code.plus(code.times(r, layer.width), x)
        for c in range(layer.channels):
            code.store(code.load(image, code.plus(at, c * pixels)), patches, code.plus(row, c))
    return code.end()


def _corners(code: Code, layer: Conv) -> Value:
    """Address of offsets: from the patch of a square's first pixel to that of each pixel."""
    down, right = layer.stride * layer.padded[1] * layer.channels, layer.stride * layer.channels
    return code.table([y * down + x * right for y, x in product(range(layer.pool), repeat=2)])


def _places(code: Code, layer: Conv, layout: Layout) -> Iterator[tuple[Value, Value, Value]]:
    """Loop over the maxima; yields the index, the position of the gradient in the first channel, and the
    offset of the patch of the square's first pixel.
    """
    rows, columns = layer.pooled
    step = layer.pool * layer.stride
    with code.loop(rows) as r, code.loop(columns) as c:
        pixel = code.plus(code.times(r, step * layer.padded[1]), code.times(c, step))
        yield code.plus(code.times(r, columns), c), layout.at(code, r, c), code.times(pixel, layer.channels)


def kernels(module: Value, number: Number, name: str, layer: Conv, tile: Tile, layout: Layout) -> Value:
    """Generate f(delta, patches, gradient, bias gradient, values, places[, winners]): add one sample's
    gradients.
    """
    code = Code(module, number, name, *[POINTER] * (6 + (layer.pool > 1)))
    delta, patches, gradient, bias, values, places, *winners = code.parameters
    lanes = number.lanes
    inside = layer.size * layer.channels
    row = row_stride(inside, lanes)
    corners = _corners(code, layer)
    with code.loop(layer.out) as o:
        count = code.cell(WHOLE, code.whole(0))
        total = code.cell(number.type, code.load(bias, o))
        for p, where, corner in _places(code, layer, layout):
            g = code.load(delta, code.plus(code.times(o, layout.channel), where))
            shift = code.load_as(WHOLE, corners, _winner(code, layer, winners, o, p)) if winners else 0
            at = code.get(count, WHOLE)
            code.store(g, values, at)
            code.store_as(WHOLE, code.plus(corner, shift), places, at)
            code.set(total, code.b.fadd(code.get(total, number.type), g))
            # written always, and kept where it is not 0: no branch to guess
            some = code.b.fcmp_unordered("!=", g, code.constant(0.0))
            code.set(count, code.b.add(at, code.b.zext(some, WHOLE)))
        code.store(code.get(total, number.type), bias, o)
        found = code.get(count, WHOLE)
        kernel = code.at(gradient, code.times(o, layer.size * row))
        for some in pieces(layer, lanes, tile.patch):
            kinds = [vector(number.type, n) for _, _, n in some]
            first = [code.load(kernel, ky * row + x, n) for ky, x, n in some]
            sums = [code.cell(kind, one) for kind, one in zip(kinds, first, strict=True)]
            with code.loop(found) as w:
                g = code.load(values, w)
                patch = code.at(patches, code.load_as(WHOLE, places, w))
                wide = {n: code.spread(g, n) for _, _, n in some}
                for one, kind, (ky, x, n) in zip(sums, kinds, some, strict=True):
                    seen = code.load(patch, ky * layer.padded[1] * layer.channels + x, n)
                    code.set(one, code.fma(wide[n], seen, code.get(one, kind)))
            for one, kind, (ky, x, n) in zip(sums, kinds, some, strict=True):
                kept = code.get(one, kind)
                if x + n > inside:  # what lies behind the patch is none of it
                    mask = ir.Constant(vector(ir.IntType(1), n), [x + i < inside for i in range(n)])
                    kept = code.b.select(mask, kept, code.constant(0.0, n))
                code.store(kept, kernel, ky * row + x)
    return code.end()


def images(
    module: Value, number: Number, name: str, layer: Conv, tile: Tile, layout: Layout, below: str
) -> Value:
    """Generate f(delta, weights, patches, out, values, places[, winners]): gradient of the input, before the
    activation function `below` that made it, as (height, width, channels) with the border.
    """
    code = Code(module, number, name, *[POINTER] * (6 + (layer.pool > 1)))
    delta, weights, patches, out, values, places, *winners = code.parameters
    lanes, squares = number.lanes, layer.pool**2
    row = row_stride(layer.size * layer.channels, lanes)
    for first, n in looped(code, layer.inputs, lanes):
        code.store(code.constant(0.0, n), out, first)
    corners = _corners(code, layer)
    counts = code.table([0] * squares)
    for p, where, corner in _places(code, layer, layout):
        for q in range(squares):
            code.store_as(WHOLE, code.whole(0), counts, q)
        with code.loop(layer.out) as o:
            g = code.load(delta, code.plus(code.times(o, layout.channel), where))
            who = _winner(code, layer, winners, o, p)
            count = code.load_as(WHOLE, counts, who)
            at = code.plus(code.times(who, layer.out), count)
            code.store(g, values, at)
            code.store_as(WHOLE, code.times(o, layer.size * row), places, at)
            some = code.b.fcmp_unordered("!=", g, code.constant(0.0))
            code.store_as(WHOLE, code.b.add(count, code.b.zext(some, WHOLE)), counts, who)
        with code.loop(squares) as q:
            found = code.load_as(WHOLE, counts, q)
            patch = code.at(out, code.plus(corner, code.load_as(WHOLE, corners, q)))
            list_of = code.times(q, layer.out)
            with code.when(code.b.icmp_signed(">", found, code.whole(0))):
                for some_pieces in pieces(layer, lanes, tile.patch):
                    _add_kernels(code, layer, some_pieces, (patch, weights, values, places), list_of, found)
    for first, n in looped(code, layer.inputs, lanes):
        code.store(before(code, code.load(out, first, n), code.load(patches, first, n), below), out, first)
    return code.end()


def _winner(code: Code, layer: Conv, winners: Sequence[Value], o: Value, p: Value) -> Value:
    """Number of the pixel with the maximum in square p of channel o."""
    if not winners:
        return code.whole(0)
    who = code.load_as(SHORT, winners[0], code.plus(code.times(o, layer.positions), p))
    return code.b.zext(who, WHOLE)


def _add_kernels(
    code: Code, layer: Conv, some: list[Piece], arrays: tuple[Value, ...], first: Value, count: Value
) -> None:
    """Add listed kernels, each times its value, to some vectors of a patch."""
    patch, weights, values, places = arrays
    row = row_stride(layer.size * layer.channels, code.number.lanes)
    wide = layer.padded[1] * layer.channels
    kinds = [vector(code.number.type, n) for _, _, n in some]
    sums = [
        code.cell(kind, code.load(patch, ky * wide + x, n))
        for kind, (ky, x, n) in zip(kinds, some, strict=True)
    ]
    with code.loop(count) as w:
        at = code.plus(first, w)
        kernel = code.at(weights, code.load_as(WHOLE, places, at))
        g = code.load(values, at)
        spread = {n: code.spread(g, n) for _, _, n in some}
        for one, kind, (ky, x, n) in zip(sums, kinds, some, strict=True):
            code.set(one, code.fma(spread[n], code.load(kernel, ky * row + x, n), code.get(one, kind)))
    for one, kind, (ky, x, _) in zip(sums, kinds, some, strict=True):
        code.store(code.get(one, kind), patch, ky * wide + x)
