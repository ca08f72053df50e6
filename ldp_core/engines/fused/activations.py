"""Activation functions, their slopes, and the exponential function that they and softmax need."""

from math import factorial, log

from llvmlite import ir

from ldp_core.engines.fused.code import POINTER, SHORT, WHOLE, Code, FloatType, Value, looped, vector

TERMS = {4: 7, 8: 13}
"""Terms of the exponential's series on ±ln 2/2 by bytes per number; the next is below half a last bit."""
MANTISSA = {4: 23, 8: 52}
LEAST = {4: -87.0, 8: -708.0}
"""Least argument of the exponential by bytes per number, just above the smallest normal result."""
LN2 = {4: (0.693359375, -2.12194440054690583e-4), 8: (0.6931471803691238, 1.9082149292705877e-10)}
"""ln 2 in two parts by bytes per number; the first times a small integer is exact."""


def exponential(code: Code, value: Value) -> Value:
    """exp(x) of a vector with x ≤ 0; NaN stays NaN."""
    size, lanes = code.number.bytes, value.type.count
    whole = vector(WHOLE if size == 8 else SHORT, lanes)

    def all_of(number: float) -> Value:
        return code.constant(number, lanes)

    least = all_of(LEAST[size])
    x = code.b.select(code.b.fcmp_ordered("<", value, least), least, value)
    # adding 1.5·2^mantissa rounds to a whole number, which then stands in the last bits
    magic = 1.5 * 2.0 ** MANTISSA[size]
    shifted = code.fma(x, all_of(1 / log(2)), all_of(magic))
    n = code.b.fsub(shifted, all_of(magic))
    high, low = LN2[size]
    rest = code.fma(n, all_of(-low), code.fma(n, all_of(-high), x))
    series = all_of(1 / factorial(TERMS[size]))
    for term in reversed(range(TERMS[size])):
        series = code.fma(series, rest, all_of(1 / factorial(term)))
    bits = code.b.bitcast(shifted, whole)
    power = code.b.shl(bits, ir.Constant(whole, [MANTISSA[size]] * lanes))
    return code.b.bitcast(code.b.add(code.b.bitcast(series, whole), power), series.type)


def relu(code: Code, value: Value) -> Value:
    """max(0, x); NaN stays NaN."""
    zero = code.constant(0.0, getattr(value.type, "count", 0))
    return code.b.select(code.b.fcmp_ordered("<", value, zero), zero, value)


def bent(code: Code, value: Value, kind: str) -> Value:
    """Sigmoid or tanh of a vector, by the exponential of a number that is not positive."""
    lanes = value.type.count
    zero, one = code.constant(0.0, lanes), code.constant(1.0, lanes)
    negative = code.b.fcmp_ordered("<", value, zero)
    below = code.b.select(negative, value, code.b.fneg(value))
    if kind == "sigmoid":
        e = exponential(code, below)
        return code.b.fdiv(code.b.select(negative, e, one), code.b.fadd(one, e))
    e = exponential(code, code.b.fadd(below, below))
    size = code.b.fdiv(code.b.fsub(one, e), code.b.fadd(one, e))
    return code.b.select(negative, code.b.fneg(size), size)


def bend(module: Value, number: FloatType, name: str, kind: str, count: int) -> Value:
    """Generate f(values): sigmoid or tanh of `count` numbers in place."""
    code = Code(module, number, name, POINTER)
    (values,) = code.parameters
    for at, n in looped(code, count, number.lanes):
        code.store(bent(code, code.load(values, at, n), kind), values, at)
    return code.end()


def before(code: Code, value: Value, activation: Value, kind: str) -> Value:
    """Gradient by the input of an activation function, from that by its output `activation`."""
    lanes = getattr(value.type, "count", 0)
    if kind == "relu":
        zero = code.constant(0.0, lanes)
        return code.b.select(code.b.fcmp_ordered(">", activation, zero), value, zero)
    if kind == "none":
        return value
    rest = code.b.fsub(
        code.constant(1.0, lanes), activation if kind == "sigmoid" else code.b.fmul(activation, activation)
    )
    return code.b.fmul(value, code.b.fmul(activation, rest) if kind == "sigmoid" else rest)
