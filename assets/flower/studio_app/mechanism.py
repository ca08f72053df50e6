"""How a client answers for a weight: a law on [-1, 1] moved to its safe range, with the system's randomness.

Covered: one answer for one weight is ε-private for any two values in the safe range, in exact arithmetic,
with noise from the operating system (os.urandom), 53 bits a draw. An upload of d weights costs d·ε, and
uploads add up.

Not covered: floating point. The answers of `duchi` and `pdpm` are two fixed numbers, so rounding moves
nothing but how likely they are: the rarer one's chance by a share of about (1 + e^ε)/2^53, which is nothing
up to ε 20 and everything beyond ε 36. Those of `laplace`, `piecewise` and `hybrid` are sums of a weight and
of noise in float64, sent as float32: which of the numbers close together can occur depends on the weight
(Mironov 2012), so against somebody who reads last digits their ε is not proven. Time and memory are not
covered either.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable

import numpy as np

MECHANISMS = ("none", "laplace", "duchi", "pdpm", "piecewise", "hybrid")
EPSILON_STAR = 0.609352493027310
"""Up to this, Hybrid is Duchi alone (Wang et al. 2019)."""
Array = np.ndarray


def uniforms(count: int) -> Array:
    """`count` numbers k/2^53 with k uniform in 0 … 2^53 − 1, from the operating system."""
    return (np.frombuffer(os.urandom(8 * count), dtype=np.uint64) >> np.uint64(11)) * 2.0**-53


def perturb(name: str, values: Array, epsilon: float, low: float, high: float) -> Array:
    """Clip values to [low, high] and randomise each; the same shape, float64.

    Raises:
        ValueError: the budget or the range makes no sense, or a value is no number.
    """
    check(name, epsilon, low, high)
    if not np.isfinite(values).all():
        raise ValueError("a weight is not finite: nothing is sent")
    middle, half = (low + high) / 2, (high - low) / 2
    v = np.clip((np.asarray(values, dtype=np.float64).ravel() - middle) / half, -1.0, 1.0)
    return (middle + half * ANSWERS[name](v, epsilon)).reshape(np.shape(values))


def check(name: str, epsilon: float, low: float, high: float) -> None:
    """Do nothing for a mechanism, a budget and a safe range that go together."""
    if name not in MECHANISMS:
        raise ValueError(f"there is no mechanism {name!r} here; there are {', '.join(MECHANISMS)}")
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise ValueError(f"epsilon must be a positive number; got {epsilon!r}")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"low must be below high; got {low!r} and {high!r}")


def worst_variance(name: str, epsilon: float, low: float, high: float) -> float:
    """Of an answer, for the value at which it is largest: public, as it depends on nobody's data."""
    check(name, epsilon, low, high)
    return ((high - low) / 2) ** 2 * WORST[name](epsilon)


def _none(v: Array, epsilon: float) -> Array:
    return v


def _laplace(v: Array, epsilon: float) -> Array:
    bits = uniforms(2 * v.size)
    sizes = -np.log(bits[: v.size] + 2.0**-53)  # of numbers above 0
    return v + 2 / epsilon * np.where(bits[v.size :] < 0.5, -sizes, sizes)


def _duchi(v: Array, epsilon: float) -> Array:
    lean = math.tanh(epsilon / 2)
    return np.where(2 * uniforms(v.size) - 1 < v * lean, 1 / lean, -1 / lean)


def _pdpm(v: Array, epsilon: float) -> Array:
    x = math.exp(-epsilon)
    chance = (v * (1 - x) + 1 + x) / (2 * (1 + 2 * x))
    return np.where(uniforms(v.size) < chance, (1 + 3 * x) / (1 - x), -(1 + x) / (1 - x))


def _piecewise(v: Array, epsilon: float) -> Array:
    q = math.exp(-epsilon / 2)
    bound, wide, left = (1 + q) / (1 - q), 2 * q / (1 - q), (v - q) / (1 - q)
    bits = uniforms(2 * v.size)
    near, place = bits[: v.size] < 1 / (1 + q), bits[v.size :]
    far = place * (2 * bound - wide) - bound  # outside the window, left of it or right of it
    return np.where(near, left + wide * place, np.where(far < left, far, far + wide))


def _hybrid(v: Array, epsilon: float) -> Array:
    share = 1 - math.exp(-epsilon / 2) if epsilon > EPSILON_STAR else 0.0
    return np.where(uniforms(v.size) < share, _piecewise(v, epsilon), _duchi(v, epsilon))


def _worst_pdpm(epsilon: float) -> float:
    x = math.exp(-epsilon)
    v = min(1.0, x / (1 - x))
    return ((1 - v) + x * (3 + v)) * ((1 + v) + x * (1 - v)) / (1 - x) ** 2


def _worst_piecewise(epsilon: float) -> float:
    q = math.exp(-epsilon / 2)
    return q / (1 - q) + q * (1 + 3 * q) / (3 * (1 - q) ** 2)


def _worst_hybrid(epsilon: float) -> float:
    if epsilon <= EPSILON_STAR:
        return math.tanh(epsilon / 2) ** -2
    q = math.exp(-epsilon / 2)
    return q * (1 + 3 * q) / (3 * (1 - q)) + q / math.tanh(epsilon / 2) ** 2


ANSWERS: dict[str, Callable[[Array, float], Array]] = {
    "none": _none,
    "laplace": _laplace,
    "duchi": _duchi,
    "pdpm": _pdpm,
    "piecewise": _piecewise,
    "hybrid": _hybrid,
}
WORST: dict[str, Callable[[float], float]] = {
    "none": lambda epsilon: 0.0,
    "laplace": lambda epsilon: 8 / epsilon**2,
    "duchi": lambda epsilon: math.tanh(epsilon / 2) ** -2,
    "pdpm": _worst_pdpm,
    "piecewise": _worst_piecewise,
    "hybrid": _worst_hybrid,
}
