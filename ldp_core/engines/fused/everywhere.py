"""Backward convolution without maxima: every output carries a gradient.

Each output adds its patch times its gradient to the kernel's gradient, of which a block is summed in
registers, and all kernels at its position, times their gradients, to the patch's gradient.
"""

from itertools import product
from typing import Any

from ldp_core.engines.fused.activations import before
from ldp_core.engines.fused.code import POINTER, Code, FloatType, Value, looped
from ldp_core.engines.fused.memory import row_chunks, row_stride
from ldp_core.engines.fused.patches import Layout, PatchPiece, kept, pieces, places
from ldp_core.engines.fused.tile import Tile, blocks, even
from ldp_core.models.chain import Conv


def kernels(module: Value, number: FloatType, name: str, layer: Conv, tile: Tile, layout: Layout) -> Value:
    """Generate f(delta, patches, gradient, bias gradient): add one sample's gradients."""
    code = Code(module, number, name, *[POINTER] * 4)
    delta, patches, gradient, bias = code.parameters
    lanes = number.lanes
    row, wide = row_stride(layer.size * layer.channels, lanes), Layout.patched(layer).row

    def block(o0: Any, outputs: int, some: list[PatchPiece], biases: bool) -> None:
        into = []
        for o in (code.plus(o0, o) for o in range(outputs)):
            kernel = code.at(gradient, code.times(o, layer.size * row))
            into += [(kernel, ky * row + x, n) for ky, x, n in some] + [(bias, o, 1)] * biases
        sums = [code.cell(code.load(*place)) for place in into]
        for _, where, at in places(code, layer, layout):
            patch = code.at(patches, at)
            seen = [code.load(patch, ky * wide + x, n) for ky, x, n in some]
            seen += [code.constant(1.0, 1)] * biases
            slopes = [code.plus(code.times(code.plus(o0, o), layout.channel), where) for o in range(outputs)]
            code.add_products(sums, [code.load(delta, slope) for slope in slopes], seen)
        first = [x for _, x, _ in some] + [0] * biases
        for one, (array, at, _), x in zip(sums, into, first * outputs, strict=True):
            code.store(kept(code, code.get(one), layer, x), array, at)

    for first, many, outputs in blocks(layer.out, even(layer.out, tile.outputs)):
        with code.loop(many) as o:
            for i, some in enumerate(pieces(layer, lanes, tile.vectors)):
                block(code.plus(code.times(o, outputs), first), outputs, some, not i)
    return code.end()


def images(
    module: Value, number: FloatType, name: str, layer: Conv, tile: Tile, layout: Layout, below: str
) -> Value:
    """Generate f(delta, weights, patches, out): gradient of the input, before the activation function `below`
    that made it, as (height, width, channels) with the border.
    """
    code = Code(module, number, name, *[POINTER] * 4)
    delta, weights, patches, out = code.parameters
    lanes = number.lanes
    row, seen = row_stride(layer.size * layer.channels, lanes), Layout.patched(layer)
    rows, columns = layer.pooled
    for first, n in looped(code, layer.inputs, lanes):
        code.store(code.constant(0.0, n), out, first)

    def block(c: Any, ky: Any, r0: Any, many: int, some: list[tuple[int, int]]) -> None:
        """A row of the patches of outputs below one another, of which none overlaps another."""
        down = code.plus(code.times(r0, layer.stride), ky)
        patch = code.plus(code.times(down, seen.row), code.times(c, layer.stride * seen.column))
        below_one = layer.stride * seen.row
        into = [(code.plus(patch, r * below_one + x), n) for r, (x, n) in product(range(many), some)]
        slopes = [code.at(delta, layout.at(code, code.plus(r0, r), c)) for r in range(many)]
        sums = [code.cell(code.load(out, *place)) for place in into]
        with code.loop(layer.out) as o:
            kernel = code.at(weights, code.times(code.plus(code.times(o, layer.size), ky), row))
            ws = [code.load(kernel, *place) for place in some]
            code.add_products(sums, [code.load(slope, code.times(o, layout.channel)) for slope in slopes], ws)
        for one, (at, _) in zip(sums, into, strict=True):
            code.store(code.get(one), out, at)

    across = row_chunks(layer.size * layer.channels, lanes)
    # column by column: a vector read just after one beside it was written would wait for that
    with code.loop(columns) as c, code.loop(layer.size) as ky:
        for i in range(0, len(across), tile.vectors):
            for first, times, many in blocks(rows, even(rows, tile.samples)):
                with code.loop(times) as r:
                    block(c, ky, code.plus(code.times(r, many), first), many, across[i : i + tile.vectors])
    for first, n in looped(code, layer.inputs, lanes):
        code.store(before(code, code.load(out, first, n), code.load(patches, first, n), below), out, first)
    return code.end()
