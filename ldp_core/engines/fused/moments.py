"""Code generation of Adam's steps; a client's moments begin at zero in every round."""

from ldp_core.engines.fused.code import POINTER, WHOLE, Code, Number, Value
from ldp_core.optimizers.adam import BETA1, BETA2, EPSILON


def forget(module: Value, number: Number, name: str) -> Value:
    """Generate f(moments, vectors): set the moments to 0."""
    code = Code(module, number, name, POINTER, WHOLE)
    moments, vectors = code.parameters
    lanes = number.lanes
    with code.loop(vectors) as v:
        code.store(code.constant(0.0, lanes), moments, code.times(v, lanes))
    return code.end()


def descend(module: Value, number: Number, name: str) -> Value:
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
