"""Softmax and the gradient of cross-entropy; Adam's steps, whose moments begin at zero in every round."""

from llvmlite import ir

from ldp_core.engines.fused.activations import exponential
from ldp_core.engines.fused.code import POINTER, SHORT, WHOLE, Code, FloatType, Value, vector
from ldp_core.engines.fused.memory import up_to
from ldp_core.optimizers.adam import BETA1, BETA2, EPSILON


def delta(module: Value, number: FloatType, name: str, classes: int) -> Value:
    """Generate f(scores, labels, delta, batch): delta = (softmax(scores) − one-hot)/batch, 0 in padding."""
    code = Code(module, number, name, *[POINTER] * 3, WHOLE)
    scores, labels, out, batch = code.parameters
    lanes, stride = number.lanes, up_to(classes, number.lanes)
    firsts = range(0, stride, lanes)
    places = vector(WHOLE, lanes)
    zero = code.constant(0.0, lanes)
    real = [
        ir.Constant(vector(ir.IntType(1), lanes), [first + i < classes for i in range(lanes)])
        for first in firsts
    ]
    share = code.b.fdiv(code.constant(1.0), code.b.sitofp(batch, number.type))
    shares = code.spread(share, lanes)
    lowest = code.constant(float("-inf"), lanes)
    with code.loop(batch) as s:
        row = code.times(s, stride)
        z = [
            code.b.select(mask, code.load(scores, code.plus(row, first), lanes), lowest)
            for mask, first in zip(real, firsts, strict=True)
        ]
        top = z[0]
        for other in z[1:]:
            top = _larger(code, top, other)
        most = code.spread(_largest(code, top), lanes)
        powers = [
            code.b.select(mask, exponential(code, code.b.fsub(one, most)), zero)
            for mask, one in zip(real, z, strict=True)
        ]
        total = powers[0]
        for other in powers[1:]:
            total = code.b.fadd(total, other)
        divisor = code.spread(code.sum(total), lanes)
        label = code.spread(code.load_as(WHOLE, labels, s), lanes)
        for first, power in zip(firsts, powers, strict=True):
            here = ir.Constant(places, [first + i for i in range(lanes)])
            hit = code.b.select(code.b.icmp_signed("==", label, here), code.constant(1.0, lanes), zero)
            found = code.b.fmul(code.b.fsub(code.b.fdiv(power, divisor), hit), shares)
            code.store(found, out, code.plus(row, first))
    return code.end()


def _larger(code: Code, a: Value, b: Value) -> Value:
    return code.b.select(code.b.fcmp_ordered(">", b, a), b, a)


def _largest(code: Code, value: Value) -> Value:
    lanes = value.type.count
    while lanes > 1:
        lanes //= 2
        low = code.shuffle(value, value, range(lanes))
        high = code.shuffle(value, value, range(lanes, 2 * lanes))
        value = _larger(code, low, high)
    return code.b.extract_element(value, ir.Constant(SHORT, 0))


def forget(module: Value, number: FloatType, name: str) -> Value:
    """Generate f(moments, vectors): set the moments to 0."""
    code = Code(module, number, name, POINTER, WHOLE)
    moments, vectors = code.parameters
    lanes = number.lanes
    with code.loop(vectors) as v:
        code.store(code.constant(0.0, lanes), moments, code.times(v, lanes))
    return code.end()


def descend(module: Value, number: FloatType, name: str) -> Value:
    """Generate f(weights, gradient, mean, square, vectors, rate, scale): one step of Adam; resets the
    gradient to 0.

    rate is η/(1 − β₁ᵗ), scale is √(1 − β₂ᵗ). Sections are processed in whole vectors: their padding is zero
    and stays zero.
    """
    code = Code(module, number, name, *[POINTER] * 4, WHOLE, number.type, number.type)
    weights, gradient, mean, square, vectors, rate, scale = code.parameters
    lanes = number.lanes
    down, wide = code.spread(code.b.fneg(rate), lanes), code.spread(scale, lanes)
    beta, other, fresh, tiny = (code.constant(x, lanes) for x in (BETA2, 1 - BETA1, 1 - BETA2, EPSILON))
    with code.loop(vectors) as v:
        at = code.times(v, lanes)
        g, m, s, w = (code.load(place, at, lanes) for place in (gradient, mean, square, weights))
        m = code.fma(other, code.b.fsub(g, m), m)
        s = code.fma(code.b.fmul(fresh, g), g, code.b.fmul(beta, s))
        size = code.b.fadd(code.b.fdiv(code.root(s), wide), tiny)
        w = code.fma(down, code.b.fdiv(m, size), w)
        for value, place in ((m, mean), (s, square), (w, weights), (code.constant(0.0, lanes), gradient)):
            code.store(value, place, at)
    return code.end()
