"""Backward convolution: only the winners of max pooling carry a gradient, where ReLU passes it.

Images are (height, width, channels) here, so that a row of a patch is `size · channels` consecutive numbers.
Each winner adds its patch times its gradient to the kernel's gradient, and its kernel times its gradient to
the patch's gradient; all winners at one position are summed and written once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from llvmlite import ir

from ldp_core.engines.fused.code import POINTER, SHORT, WHOLE, Code, Number, Value, vector
from ldp_core.engines.fused.dense import alive
from ldp_core.engines.fused.memory import chunks, row_chunks, row_stride
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


def channels_last(module: Value, number: Number, name: str, layer: Conv) -> Value:
    """Generate f(image, patches): from (channels, height, width) to (height, width, channels)."""
    code = Code(module, number, name, *[POINTER] * 2)
    image, patches = code.parameters
    pixels = layer.height * layer.width
    with code.loop(pixels) as at:
        row = code.times(at, layer.channels)
        for c in range(layer.channels):
            code.store(code.load(image, code.plus(at, c * pixels)), patches, code.plus(row, c))
    return code.end()


def _gradient_at(code: Code, layer: Conv, delta: Value, o: Any, p: Any, last: bool) -> Value:
    """Gradient at the maximum of an output channel; in the last convolution stored channel by channel."""
    place = code.plus(code.times(o, layer.positions), p) if last else code.plus(code.times(p, layer.out), o)
    return code.load(delta, place)


def _corners(code: Code, layer: Conv) -> Value:
    """Address of four offsets: from the patch of a 2 × 2 square's first pixel to that of each pixel."""
    return code.table([(i // 2 * layer.width + i % 2) * layer.channels for i in range(4)])


def _places(code: Code, layer: Conv) -> Iterator[tuple[Value, Value]]:
    """Loop over the maxima; yields the index, and the offset of the patch of its square's first pixel."""
    rows, columns = layer.pooled
    with code.loop(rows) as r, code.loop(columns) as c:
        pixel = code.plus(code.times(r, 2 * layer.width), code.times(c, 2))
        yield code.plus(code.times(r, columns), c), code.times(pixel, layer.channels)


def kernels(module: Value, number: Number, name: str, layer: Conv, tile: Tile, last: bool) -> Value:
    """Generate f(delta, winners, patches, gradient, bias gradient, values, places): add one sample's
    gradients.
    """
    code = Code(module, number, name, *[POINTER] * 7)
    delta, winners, patches, gradient, bias, values, places = code.parameters
    lanes = number.lanes
    inside = layer.size * layer.channels
    row = row_stride(inside, lanes)
    corners = _corners(code, layer)
    with code.loop(layer.out) as o:
        count = code.cell(WHOLE, code.whole(0))
        total = code.cell(number.type, code.load(bias, o))
        for p, corner in _places(code, layer):
            g = _gradient_at(code, layer, delta, o, p, last)
            who = code.load_as(SHORT, winners, code.plus(code.times(o, layer.positions), p))
            at = code.get(count, WHOLE)
            code.store(g, values, at)
            shift = code.load_as(WHOLE, corners, code.b.zext(who, WHOLE))
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
                    seen = code.load(patch, ky * layer.width * layer.channels + x, n)
                    code.set(one, code.fma(wide[n], seen, code.get(one, kind)))
            for one, kind, (ky, x, n) in zip(sums, kinds, some, strict=True):
                kept = code.get(one, kind)
                if x + n > inside:  # what lies behind the patch is none of it
                    mask = ir.Constant(vector(ir.IntType(1), n), [x + i < inside for i in range(n)])
                    kept = code.b.select(mask, kept, code.constant(0.0, n))
                code.store(kept, kernel, ky * row + x)
    return code.end()


def images(module: Value, number: Number, name: str, layer: Conv, tile: Tile, last: bool) -> Value:
    """Generate f(delta, winners, weights, patches, out, values, places): gradient of the input, 0 where its
    ReLU is inactive, as (height, width, channels).
    """
    code = Code(module, number, name, *[POINTER] * 7)
    delta, winners, weights, patches, out, values, places = code.parameters
    lanes = number.lanes
    row = row_stride(layer.size * layer.channels, lanes)
    every = chunks(layer.inputs, lanes)
    for first, n in looped(code, every, lanes):
        code.store(code.constant(0.0, n), out, first)
    corners = _corners(code, layer)
    counts = code.table([0] * 4)
    for p, corner in _places(code, layer):
        for q in range(4):
            code.store_as(WHOLE, code.whole(0), counts, q)
        with code.loop(layer.out) as o:
            g = _gradient_at(code, layer, delta, o, p, last)
            who = code.b.zext(
                code.load_as(SHORT, winners, code.plus(code.times(o, layer.positions), p)), WHOLE
            )
            count = code.load_as(WHOLE, counts, who)
            at = code.plus(code.times(who, layer.out), count)
            code.store(g, values, at)
            code.store_as(WHOLE, code.times(o, layer.size * row), places, at)
            some = code.b.fcmp_unordered("!=", g, code.constant(0.0))
            code.store_as(WHOLE, code.b.add(count, code.b.zext(some, WHOLE)), counts, who)
        with code.loop(4) as q:
            found = code.load_as(WHOLE, counts, q)
            patch = code.at(out, code.plus(corner, code.load_as(WHOLE, corners, q)))
            list_of = code.times(q, layer.out)
            with code.when(code.b.icmp_signed(">", found, code.whole(0))):
                for some_pieces in pieces(layer, lanes, tile.patch):
                    _add_kernels(code, layer, some_pieces, (patch, weights, values, places), list_of, found)
    for first, n in looped(code, every, lanes):
        kept = alive(code, code.load(out, first, n), code.load(patches, first, n))
        code.store(kept, out, first)
    return code.end()


def _add_kernels(
    code: Code, layer: Conv, some: list[Piece], arrays: tuple[Value, ...], first: Value, count: Value
) -> None:
    """Add listed kernels, each times its value, to some vectors of a patch."""
    patch, weights, values, places = arrays
    row = row_stride(layer.size * layer.channels, code.number.lanes)
    wide = layer.width * layer.channels
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


def looped(code: Code, every: list[tuple[int, int]], lanes: int) -> Iterator[tuple[Value, int]]:
    """Chunks of a section: a loop over the whole vectors, then the rest one by one."""
    whole = [first for first, n in every if n == lanes]
    if whole:
        with code.loop(len(whole) * lanes, step=lanes) as at:
            yield at, lanes
    for first, n in every:
        if n < lanes:
            yield code.whole(first), n
