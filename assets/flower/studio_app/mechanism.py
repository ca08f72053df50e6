"""How a client answers for a weight: by the mechanism's own law in `ldp_core`, with the system's randomness.

Covered: one answer for one weight is ε-private (with normal noise (ε, δ)-private) for any two values in the
safe range, in exact arithmetic, with noise from the operating system (os.urandom), 53 bits a draw. An upload
of d weights costs d·ε, and uploads add up.

Not covered: floating point. Answers of two fixed numbers (`duchi`, `pdpm`) are moved by it only in how
likely they are: the rarer one's chance by a share of about (1 + e^ε)/2^53, which is nothing up to ε 20 and
everything beyond ε 36. Others are sums of a weight and of noise in float64, sent as float32: which of the
numbers close together can occur depends on the weight (Mironov 2012), so against somebody who reads last
digits their ε is not proven. Normal noise has no draw beyond 8.2 deviations. Time and memory are not covered
either.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import ndtri

from ldp_core import mechanisms
from ldp_core.mechanisms.shared.law import Law
from studio_app.settings import Budget

Array = np.ndarray


class SystemBits(np.random.Generator):
    """Draws from the operating system, wherever a law asks a generator for them."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))  # which nobody asks

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Numbers k/2^53 with k uniform in 0 … 2^53 − 1."""
        bits = np.frombuffer(os.urandom(8 * int(np.prod(size))), dtype=np.uint64)
        return ((bits >> np.uint64(11)) * 2.0**-53).reshape(size)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """The quantile of the middle of a number's step, from the tail that it lies in."""
        number = self.random(size)
        lower = number < 0.5
        tail = np.where(lower, number, 1 - 2.0**-53 - number) + 2.0**-54
        return np.where(lower, 1, -1) * ndtri(tail)


def law(run: Mapping[str, Any], budget: Budget) -> Law[Any]:
    """The mechanism of a run for a budget and a safe range.

    Raises:
        ValueError: the budget or the range makes no sense.
    """
    return mechanisms.get(**run["mechanism"]).at(*budget)


def perturb(run: Mapping[str, Any], values: Array, budget: Budget) -> Array:
    """Clip values to their range and randomise each; the same shape, float64.

    Raises:
        ValueError: the budget or the range makes no sense, or a value is no number.
    """
    if not np.isfinite(values).all():
        raise ValueError("a weight is not finite: nothing is sent")
    return law(run, budget).perturb(np.asarray(values, dtype=np.float64), SystemBits())


def worst_variance(run: Mapping[str, Any], budget: Budget) -> float:
    """Of an answer, for the value at which it is largest: public, as it depends on nobody's data."""
    return float(law(run, budget).max_variance)
