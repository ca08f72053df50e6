"""Forward convolution: output columns as vector lanes, blocks of channels × columns in registers; and means
of squares of its activated outputs, forward and backward.

Images are (channels, height, width). Kernels are stored as backward patches are read, (out, rows, columns ×
channels), each row padded to whole vectors (`row_stride`).
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from llvmlite import ir

from ldp_core.engines.fused.activations import before, relu
from ldp_core.engines.fused.code import POINTER, SHORT, WHOLE, Code, FloatType, Value, looped, vector
from ldp_core.engines.fused.memory import plane, row_stride, stored
from ldp_core.engines.fused.patches import Layout
from ldp_core.engines.fused.tile import Tile
from ldp_core.models.chain import Conv


def grid_of(height: int, width: int, half: int, most: int) -> tuple[int, int]:
    """Rows and half vectors of blocks, of at most `most` vectors, that cover a channel with least overlap."""
    across = -(-width // half)

    def waste(grid: tuple[int, int]) -> tuple[int, int]:
        rows, halves = grid
        return -(-height // rows) * -(-across // halves) * rows * halves, -rows * halves

    sizes = product(range(1, height + 1), range(1, across + 1))
    return min(((rows, halves) for rows, halves in sizes if rows * halves <= 2 * most), key=waste)


def planes(module: Value, number: FloatType, name: str, layer: Conv) -> Value:
    """Generate f(image, planes): copy into a border of zeros, (channels, stride², rows, columns): the pixels
    that one tap of a kernel reads stand together.
    """
    code = Code(module, number, name, *[POINTER] * 2)
    image, out = code.parameters
    s, border = layer.stride, layer.padding
    rows, columns = plane(layer)
    for number_of, (y, x) in enumerate(product(range(s), repeat=2)):
        top, left = (y - border) % s, (x - border) % s
        first = number_of * rows * columns + (top + border) // s * columns + (left + border) // s
        with code.loop(layer.channels) as c, code.loop(len(range(top, layer.height, s))) as r:
            above = code.plus(code.times(c, layer.height), code.times(r, s), top)
            seen = code.at(image, code.plus(code.times(above, layer.width), left))
            line = code.plus(code.times(c, s**2 * rows * columns), code.times(r, columns), first)
            count = len(range(left, layer.width, s))
            for at, n in looped(code, count, number.lanes if s == 1 else 1):
                code.store(code.load(seen, code.times(at, s), n), code.at(out, line), at)
    return code.end()


def forward(module: Value, number: FloatType, name: str, layer: Conv, tile: Tile) -> Value:
    """Generate f(planes, weights, bias, out): all outputs to be pooled, (out, *`stored`)."""
    code = Code(module, number, name, *[POINTER] * 4)
    image, weights, bias, out = code.parameters
    lanes = number.lanes
    half = lanes // 2
    height, width = (layer.pool * side for side in layer.pooled)
    wide = stored(layer, lanes)[1]
    rows, columns = plane(layer)
    downs = [
        (ky % layer.stride * layer.stride * rows + ky // layer.stride) * columns for ky in range(layer.size)
    ]
    down_to = code.table(downs) if layer.stride > 1 else None
    deep, halves = grid_of(height, width, half, tile.columns)
    channels = tile.choose(layer.out, tile.channels)
    row = row_stride(layer.size * layer.channels, lanes)
    # where each half vector of a block begins: (row, column)
    last = max(0, width - half) if halves * half > width else (halves - 1) * half
    starts = [(r, min(h * half, last)) for r, h in product(range(deep), range(halves))]
    pairs = [starts[i : i + 2] for i in range(0, len(starts), 2)]
    beyond = max(0, width - halves * half)

    def read(place: Value, pair: list[tuple[int, int]]) -> Value:
        (r0, c0), (r1, c1) = pair[0], pair[-1]
        if (r1, c1) == (r0, c0 + half):
            return code.load(place, r0 * columns + c0, lanes)
        low, high = code.load(place, r0 * columns + c0, half), code.load(place, r1 * columns + c1, half)
        return code.shuffle(low, high, range(half * len(pair)))

    def block(o0: Any, r0: Any, c0: Any) -> None:
        biases = [code.load(bias, code.plus(o0, o)) for o in range(channels)]
        sums = [code.cell(code.spread(one, half * len(pair))) for one in biases for pair in pairs]
        kernel = code.at(weights, code.times(o0, layer.size * row))
        corner = code.at(image, code.plus(code.times(r0, columns), c0))
        with code.loop(layer.channels) as c, code.loop(layer.size) as ky:
            down = code.load_as(WHOLE, down_to, ky) if down_to else code.times(ky, columns)
            seen = code.at(corner, code.plus(code.times(c, layer.stride**2 * rows * columns), down))
            taps = code.at(kernel, code.plus(code.times(ky, row), c))
            for kx in range(layer.size):
                right = kx % layer.stride * rows * columns + kx // layer.stride
                places = [o * layer.size * row + kx * layer.channels for o in range(channels)]
                values = [read(code.at(seen, right), pair) for pair in pairs]
                code.add_products(sums, [code.load(taps, place) for place in places], values)
        for (o, pair), one in zip(product(range(channels), pairs), sums, strict=True):
            place = code.plus(code.times(code.plus(o0, o), height * wide), code.times(r0, wide), c0)
            value = code.get(one)
            for i, (r, c) in enumerate(pair):
                part = code.shuffle(value, value, range(i * half, (i + 1) * half))
                code.store(part, code.at(out, place), r * wide + c)

    with code.loop(layer.out, step=channels) as o, code.loop(height, step=deep) as r:
        o0, r0 = code.least(o, layer.out - channels), code.least(r, height - deep)
        with code.loop(max(1, width), step=halves * half) as c:
            block(o0, r0, code.least(c, beyond))
    return code.end()


def pool(module: Value, number: FloatType, name: str, layer: Conv) -> Value:
    """Generate f(outputs, pooled[, winners]): maxima of squares of outputs, with ReLU if the layer has that,
    (out, rows, columns).

    A winner is the number of the first of equal maxima in its square, row by row.
    """
    code = Code(module, number, name, *[POINTER] * (2 + (layer.pool > 1)))
    outputs, pooled, *winners = code.parameters
    rows, columns = layer.pooled
    wide = stored(layer, number.lanes)[1]
    with code.loop(layer.out) as o, code.loop(rows) as r:
        line = code.plus(code.times(o, rows), r)
        above = code.at(outputs, code.times(line, layer.pool * wide))
        for first, lanes in looped(code, columns, number.lanes if layer.pool < 3 else 1):
            found = _maxima(code, code.at(above, code.times(first, layer.pool)), lanes, layer.pool, wide)
            place = code.plus(code.times(line, columns), first)
            code.store(relu(code, found[0]) if layer.activation == "relu" else found[0], pooled, place)
            for who in winners:
                code.b.store(found[1], code.at(who, place, SHORT), align=4)
    return code.end()


def _maxima(code: Code, corner: Value, lanes: int, side: int, wide: int) -> tuple[Value, Value]:
    """Maxima of `lanes` neighbouring squares, and the position of each in its square."""
    pixels = []
    for row in range(side):
        parts = [code.load(corner, row * wide + x * lanes, lanes) for x in range(side)]
        if side == 2 and lanes > 1:
            parts = [code.shuffle(parts[0], parts[1], range(x, 2 * lanes, 2)) for x in range(2)]
        pixels += parts
    most, kind = pixels[0], vector(SHORT, lanes)
    who = ir.Constant(kind, [0] * lanes)
    for i, pixel in enumerate(pixels[1:], start=1):
        larger = code.b.fcmp_ordered(">", pixel, most)
        most = code.b.select(larger, pixel, most)
        who = code.b.select(larger, ir.Constant(kind, [i] * lanes), who)
    return most, who


def _squares(code: Code, layer: Conv, layout: Layout) -> Iterator[tuple[Value, list[Value]]]:
    """Loop over the means; yields the position of each, and those of its square's outputs."""
    rows, columns = layer.averaged
    with code.loop(layer.out) as o, code.loop(rows) as r, code.loop(columns) as c:
        place = code.plus(code.times(o, layout.channel), layout.at(code, r, c))
        above = code.plus(code.times(o, layer.positions), code.times(r, layer.mean * layer.pooled[1]))
        corner = code.plus(above, code.times(c, layer.mean))
        square = product(range(layer.mean), repeat=2)
        yield place, [code.plus(corner, y * layer.pooled[1] + x) for y, x in square]


def average(module: Value, number: FloatType, name: str, layer: Conv) -> Value:
    """Generate f(outputs, means): means, (out, rows, columns)."""
    code = Code(module, number, name, *[POINTER] * 2)
    outputs, means = code.parameters
    for place, square in _squares(code, layer, Layout.planar(*layer.averaged)):
        total = code.load(outputs, square[0])
        for at in square[1:]:
            total = code.b.fadd(total, code.load(outputs, at))
        code.store(code.b.fmul(total, code.constant(1 / layer.mean**2)), means, place)
    return code.end()


def spread(module: Value, number: FloatType, name: str, layer: Conv, layout: Layout) -> Value:
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
