"""Backward convolution: only the winners of max pooling carry a gradient, where ReLU passes it.

Each winner adds its patch times its gradient to the kernel's gradient, and its kernel times its gradient to
the patch's gradient; all winners at one position are summed and written once.
"""

from itertools import product

from ldp_core.engines.fused.activations import before
from ldp_core.engines.fused.code import POINTER, SHORT, WHOLE, Code, FloatType, Value, looped
from ldp_core.engines.fused.memory import row_stride
from ldp_core.engines.fused.patches import Layout, kept, pieces, places
from ldp_core.engines.fused.tile import Tile
from ldp_core.models.chain import Conv


def _corners(code: Code, layer: Conv) -> Value:
    """Address of offsets: from the patch of a square's first pixel to that of each pixel."""
    down, right = layer.stride * layer.padded[1] * layer.channels, layer.stride * layer.channels
    return code.table([y * down + x * right for y, x in product(range(layer.pool), repeat=2)])


def kernels(module: Value, number: FloatType, name: str, layer: Conv, tile: Tile, layout: Layout) -> Value:
    """Generate f(delta, patches, gradient, bias gradient, values, listed, winners): add one sample's
    gradients.
    """
    code = Code(module, number, name, *[POINTER] * 7)
    delta, patches, gradient, bias, values, listed, winners = code.parameters
    lanes = number.lanes
    row, wide = row_stride(layer.size * layer.channels, lanes), Layout.patched(layer).row
    corners = _corners(code, layer)
    with code.loop(layer.out) as o:
        count = code.cell(code.whole(0))
        total = code.cell(code.load(bias, o))
        for p, where, corner in places(code, layer, layout):
            g = code.load(delta, code.plus(code.times(o, layout.channel), where))
            shift = code.load_as(WHOLE, corners, _winner(code, layer, winners, o, p))
            at = code.get(count)
            code.store(g, values, at)
            code.store_as(WHOLE, code.plus(corner, shift), listed, at)
            code.set(total, code.b.fadd(code.get(total), g))
            # written always, and kept where it is not 0: no branch to guess
            some = code.b.fcmp_unordered("!=", g, code.constant(0.0))
            code.set(count, code.b.add(at, code.b.zext(some, WHOLE)))
        code.store(code.get(total), bias, o)
        found = code.get(count)
        kernel = code.at(gradient, code.times(o, layer.size * row))
        for some in pieces(layer, lanes, tile.patch):
            sums = [code.cell(code.load(kernel, ky * row + x, n)) for ky, x, n in some]
            with code.loop(found) as w:
                patch = code.at(patches, code.load_as(WHOLE, listed, w))
                seen = [code.load(patch, ky * wide + x, n) for ky, x, n in some]
                code.add_products(sums, [code.load(values, w)], seen)
            for one, (ky, x, _) in zip(sums, some, strict=True):
                code.store(kept(code, code.get(one), layer, x), kernel, ky * row + x)
    return code.end()


def images(
    module: Value, number: FloatType, name: str, layer: Conv, tile: Tile, layout: Layout, below: str
) -> Value:
    """Generate f(delta, weights, patches, out, values, listed, winners): gradient of the input, before the
    activation function `below` that made it, as (height, width, channels) with the border.
    """
    code = Code(module, number, name, *[POINTER] * 7)
    delta, weights, patches, out, values, listed, winners = code.parameters
    lanes, squares = number.lanes, layer.pool**2
    row, wide = row_stride(layer.size * layer.channels, lanes), Layout.patched(layer).row
    for first, n in looped(code, layer.inputs, lanes):
        code.store(code.constant(0.0, n), out, first)
    corners = _corners(code, layer)
    counts = code.table([0] * squares)
    for p, where, corner in places(code, layer, layout):
        for q in range(squares):
            code.store_as(WHOLE, code.whole(0), counts, q)
        with code.loop(layer.out) as o:
            g = code.load(delta, code.plus(code.times(o, layout.channel), where))
            who = _winner(code, layer, winners, o, p)
            count = code.load_as(WHOLE, counts, who)
            at = code.plus(code.times(who, layer.out), count)
            code.store(g, values, at)
            code.store_as(WHOLE, code.times(o, layer.size * row), listed, at)
            here = code.b.fcmp_unordered("!=", g, code.constant(0.0))
            code.store_as(WHOLE, code.b.add(count, code.b.zext(here, WHOLE)), counts, who)
        with code.loop(squares) as q:
            found = code.load_as(WHOLE, counts, q)
            patch = code.at(out, code.plus(corner, code.load_as(WHOLE, corners, q)))
            list_of = code.times(q, layer.out)
            with code.b.if_then(code.b.icmp_signed(">", found, code.whole(0))):
                for some in pieces(layer, lanes, tile.patch):
                    sums = [code.cell(code.load(patch, ky * wide + x, n)) for ky, x, n in some]
                    with code.loop(found) as w:
                        at = code.plus(list_of, w)
                        kernel = code.at(weights, code.load_as(WHOLE, listed, at))
                        ws = [code.load(kernel, ky * row + x, n) for ky, x, n in some]
                        code.add_products(sums, [code.load(values, at)], ws)
                    for one, (ky, x, _) in zip(sums, some, strict=True):
                        code.store(code.get(one), patch, ky * wide + x)
    for first, n in looped(code, layer.inputs, lanes):
        code.store(before(code, code.load(out, first, n), code.load(patches, first, n), below), out, first)
    return code.end()


def _winner(code: Code, layer: Conv, winners: Value, o: Value, p: Value) -> Value:
    """Number of the pixel with the maximum in square p of channel o."""
    who = code.load_as(SHORT, winners, code.plus(code.times(o, layer.positions), p))
    return code.b.zext(who, WHOLE)
