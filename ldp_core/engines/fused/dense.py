"""Fully connected layers, forward and backward: blocked products with all sums in registers.

Weights are stored as the model has them, (out, inputs), with rows padded by zeros to whole vectors; so are
activations (batch, inputs) and their gradients.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

from ldp_core.engines.fused.activations import before, relu
from ldp_core.engines.fused.code import POINTER, WHOLE, Code, FloatType, Value
from ldp_core.engines.fused.memory import chunks, up_to
from ldp_core.engines.fused.tile import Tile, blocks
from ldp_core.models.chain import DenseLayer


def over_samples(code: Code, count: Value, side: int, body: Callable[[Value, int], None]) -> None:
    """Loop over `count` samples in blocks of `side`; the last blocks overlap, and fewer samples go one by
    one. For bodies that only write: a sample may be computed twice, with the same bits.
    """
    enough = code.b.icmp_signed(">=", count, code.whole(side))
    with code.b.if_else(enough) as (then, otherwise):
        with then, code.loop(count, step=side) as at:
            body(code.least(at, code.b.sub(count, code.whole(side))), side)
        with otherwise, code.loop(count) as at:
            body(at, 1)


def forward(module: Value, number: FloatType, name: str, layer: DenseLayer, tile: Tile) -> Value:
    """Generate f(x, weights, bias, out, batch): out = x·Wᵀ + b, with ReLU if the layer has that."""
    code = Code(module, number, name, *[POINTER] * 4, WHOLE)
    x, weights, bias, out, batch = code.parameters
    lanes = number.lanes
    wide, stride = up_to(layer.inputs, lanes), up_to(layer.out, lanes)
    side = tile.choose(layer.out, tile.outputs)

    def block(first: Value, samples: int) -> None:
        with code.loop(layer.out, step=side) as at:
            o0 = code.least(at, layer.out - side)
            rows = [code.at(x, code.times(code.plus(first, s), wide)) for s in range(samples)]
            kernels = [code.at(weights, code.times(code.plus(o0, o), wide)) for o in range(side)]
            sums = code.accumulators(samples * side, lanes)
            with code.loop(wide, step=lanes) as i:
                values, ws = ([code.load(one, i, lanes) for one in some] for some in (rows, kernels))
                code.add_products(sums, values, ws)
            for (s, o), one in zip(product(range(samples), range(side)), sums, strict=True):
                total = code.b.fadd(code.sum(code.get(one)), code.load(bias, code.plus(o0, o)))
                if layer.activation == "relu":
                    total = relu(code, total)
                code.store(total, out, code.plus(code.times(code.plus(first, s), stride), o0, o))

    over_samples(code, batch, tile.samples, block)
    return code.end()


def backward(module: Value, number: FloatType, name: str, layer: DenseLayer, tile: Tile, below: str) -> Value:
    """Generate f(delta, weights, x, out, batch): out = delta·W, before the activation `below` that made x."""
    code = Code(module, number, name, *[POINTER] * 4, WHOLE)
    delta, weights, x, out, batch = code.parameters
    lanes = number.lanes
    wide, stride = up_to(layer.inputs, lanes), up_to(layer.out, lanes)
    side = tile.choose(wide // lanes, tile.vectors)

    def block(first: Value, samples: int) -> None:
        with code.loop(wide, step=side * lanes) as at:
            i0 = code.least(at, wide - side * lanes)
            sums = code.accumulators(samples * side, lanes)
            with code.loop(layer.out) as o:
                row = code.at(weights, code.plus(code.times(o, wide), i0))
                ws = [code.load(row, i * lanes, lanes) for i in range(side)]
                places = [code.plus(code.times(code.plus(first, s), stride), o) for s in range(samples)]
                code.add_products(sums, [code.load(delta, place) for place in places], ws)
            for (s, i), one in zip(product(range(samples), range(side)), sums, strict=True):
                place = code.plus(code.times(code.plus(first, s), wide), i0, i * lanes)
                code.store(before(code, code.get(one), code.load(x, place, lanes), below), out, place)

    over_samples(code, batch, tile.samples, block)
    return code.end()


def update(module: Value, number: FloatType, name: str, layer: DenseLayer, tile: Tile) -> Value:
    """Generate f(delta, x, weights, bias, batch, rate): W −= rate·deltaᵀ·x, b −= rate·Σ delta, in place."""
    code = Code(module, number, name, *[POINTER] * 4, WHOLE, number.type)
    delta, x, weights, bias, batch, rate = code.parameters
    lanes = number.lanes
    wide, stride = up_to(layer.inputs, lanes), up_to(layer.out, lanes)
    down = code.spread(code.b.fneg(rate), lanes)

    def block(o0: Any, outputs: int, i0: Any, vectors: int) -> None:
        sums = code.accumulators(outputs * vectors, lanes)
        with code.loop(batch) as s:
            row = code.at(x, code.plus(code.times(s, wide), i0))
            values = [code.load(row, i * lanes, lanes) for i in range(vectors)]
            at = code.plus(code.times(s, stride), o0)
            code.add_products(sums, [code.load(delta, code.plus(at, o)) for o in range(outputs)], values)
        for (o, i), one in zip(product(range(outputs), range(vectors)), sums, strict=True):
            place = code.plus(code.times(code.plus(o0, o), wide), i0, i * lanes)
            code.store(code.fma(down, code.get(one), code.load(weights, place, lanes)), weights, place)

    across = tile.choose(wide // lanes, tile.vectors)
    for first_o, many_o, outputs in blocks(layer.out, tile.choose(layer.out, tile.outputs)):
        for first_i, many_i, vectors in blocks(wide // lanes, across):
            with code.loop(many_o) as o, code.loop(many_i) as i:
                at = code.plus(code.times(i, vectors * lanes), first_i * lanes)
                block(code.plus(code.times(o, outputs), first_o), outputs, at, vectors)
    for first, some in chunks(layer.out, lanes, lanes):
        total = code.accumulators(1, some)[0]
        with code.loop(batch) as s:
            d = code.load(delta, code.plus(code.times(s, stride), first), some)
            code.set(total, code.b.fadd(code.get(total), d))
        code.store(code.fma(down, code.get(total), code.load(bias, first, some)), bias, first)
    return code.end()
