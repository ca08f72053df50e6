"""Means of squares of a convolution's activated outputs, forward and backward."""

from collections.abc import Iterator
from itertools import product

from ldp_core.engines.fused.activations import before
from ldp_core.engines.fused.code import POINTER, Code, Number, Value
from ldp_core.engines.fused.patches import Layout
from ldp_core.models.chain import Conv


def _squares(code: Code, layer: Conv, layout: Layout) -> Iterator[tuple[Value, list[Value]]]:
    """Loop over the means; yields the position of each, and those of its square's outputs."""
    rows, columns = layer.averaged
    with code.loop(layer.out) as o, code.loop(rows) as r, code.loop(columns) as c:
        place = code.plus(code.times(o, layout.channel), layout.at(code, r, c))
        above = code.plus(code.times(o, layer.positions), code.times(r, layer.mean * layer.pooled[1]))
        corner = code.plus(above, code.times(c, layer.mean))
        square = product(range(layer.mean), repeat=2)
        yield place, [code.plus(corner, y * layer.pooled[1] + x) for y, x in square]


def average(module: Value, number: Number, name: str, layer: Conv) -> Value:
    """Generate f(outputs, means): means, (out, rows, columns)."""
    code = Code(module, number, name, *[POINTER] * 2)
    outputs, means = code.parameters
    for place, square in _squares(code, layer, Layout.planar(*layer.averaged)):
        total = code.load(outputs, square[0])
        for at in square[1:]:
            total = code.b.fadd(total, code.load(outputs, at))
        code.store(code.b.fmul(total, code.constant(1 / layer.mean**2)), means, place)
    return code.end()


def spread(module: Value, number: Number, name: str, layer: Conv, layout: Layout) -> Value:
    """Generate f(delta, outputs, out): gradient before the activation, (out, rows, columns), from that by the
    means. Outputs beyond the squares keep 0.
    """
    code = Code(module, number, name, *[POINTER] * 3)
    delta, outputs, out = code.parameters
    for place, square in _squares(code, layer, layout):
        share = code.b.fmul(code.load(delta, place), code.constant(1 / layer.mean**2))
        for at in square:
            code.store(before(code, share, code.load(outputs, at), layer.activation), out, at)
    return code.end()
