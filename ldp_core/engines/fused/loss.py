"""Softmax and the gradient of cross-entropy."""

from llvmlite import ir

from ldp_core.engines.fused.activations import exponential
from ldp_core.engines.fused.code import POINTER, SHORT, WHOLE, Code, Number, Value, vector
from ldp_core.engines.fused.memory import up_to


def delta(module: Value, number: Number, name: str, classes: int) -> Value:
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
