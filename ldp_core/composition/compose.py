"""Composition of pure ε: a bound on the total loss of many ε-private uses.

Any ε-private mechanism is a post-processing of binary randomised response with the same ε (Kairouz, Oh and
Viswanath 2015), so the composition of randomised responses bounds all others.
"""

import math
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, logsumexp

from ldp_core.errors import InvalidInput, one_of, shown
from ldp_core.mechanisms.base import as_floats

METHODS = ("best", "basic", "optimal", "rdp")
ORDERS = 1 + np.logspace(-4, 4, 400)
"""Rényi orders that are tried."""


@dataclass(frozen=True, order=True)
class Composed:
    """The ε of a composition, its δ and the rule that gave it."""

    epsilon: float
    delta: float
    rule: str
    basic: float
    """Sum of the ε (basic composition), with δ = 0."""


def compose(epsilons: ArrayLike, delta: float = 0.0, method: str = "best") -> dict[str, Any]:
    """Bound on the total loss of mechanisms with these pure ε (k,) on one client's data, never above the sum:
    `epsilon` and `delta`, the `rule` that gave it, and `basic`, the sum with δ = 0.

    Args:
        delta: total δ, in [0, 1); with 0 only the sum is valid.
        method: "best" for the least valid bound; "basic" for the sum; "optimal", exact for k equal ε; "rdp",
            by Rényi divergences, for unequal ε.

    Raises:
        InvalidInput: an ε, δ or method is invalid.
    """
    budgets = np.atleast_1d(as_floats(epsilons, "epsilons"))
    if budgets.ndim != 1 or not np.isfinite(budgets).all() or (budgets < 0).any():
        raise InvalidInput(f"epsilons must be a list of finite numbers ≥ 0; got {shown(epsilons)}")
    if not isinstance(delta, int | float) or not 0 <= delta < 1:
        raise InvalidInput(f"delta must be at least 0 and below 1; got {shown(delta)}")
    if method not in METHODS:
        raise InvalidInput(f"method must be {one_of(METHODS)}; got {shown(method)}")
    values, counts = np.unique(budgets[budgets > 0], return_counts=True)
    return asdict(compose_counts(tuple(values.tolist()), tuple(counts.tolist()), float(delta), method))


@lru_cache(maxsize=4096)
def compose_counts(
    values: tuple[float, ...], counts: tuple[int, ...], delta: float, method: str = "best"
) -> Composed:
    """`compose` for distinct ε, each with its number of uses."""
    basic = math.fsum(e * n for e, n in zip(values, counts, strict=True))
    bounds = [Composed(basic, 0.0, "basic", basic)]
    if delta > 0 and values and method != "basic":
        if len(values) == 1 and method in ("best", "optimal"):
            bounds.append(Composed(_optimal(values[0], counts[0], delta), delta, "optimal", basic))
        if method == "rdp" or (method == "best" and len(values) > 1):
            bounds.append(Composed(_renyi(values, counts, delta), delta, "rdp", basic))
    return min(bounds)


def _optimal(epsilon: float, k: int, delta: float) -> float:
    """The exact ε of k-fold composition (Kairouz, Oh and Viswanath 2015, theorem 3.3).

    δ(ε) = Σ_l Bin(l; k, p)·max(0, 1 − e^{ε − (2l−k)ε₀}) with p = e^ε₀/(1+e^ε₀). The sum from l on without the
    maximum, T_l − e^ε·S_l, is largest for the right l, so ε(δ) is the largest of ln((T_l − δ)/S_l).
    """
    log_p, log_q = -np.logaddexp(0, -epsilon), -np.logaddexp(0, epsilon)
    mean, spread = k * math.exp(log_p), math.sqrt(k * math.exp(log_p + log_q))
    # outcomes further away do not matter in float64
    first, last = max(0, math.floor(mean - 40 * spread - 40)), min(k, math.ceil(mean + 40 * spread + 40))
    hits = np.arange(first, last + 1, dtype=np.float64)
    log_mass = gammaln(k + 1) - gammaln(hits + 1) - gammaln(k - hits + 1) + hits * log_p + (k - hits) * log_q
    tail = np.cumsum(np.exp(log_mass)[::-1])[::-1]
    log_mirrored = np.logaddexp.accumulate((log_mass - (2 * hits - k) * epsilon)[::-1])[::-1]
    enough = tail > delta
    if not enough.any():
        return 0.0
    bound = float((np.log(tail[enough] - delta) - log_mirrored[enough]).max())
    return min(max(0.0, bound), k * epsilon)


def _renyi(values: tuple[float, ...], counts: tuple[int, ...], delta: float) -> float:
    """The bound through Rényi divergences of randomised response, best over a grid of orders; converted by
    Canonne, Kamath and Steinke 2020, proposition 12.
    """
    total = np.zeros_like(ORDERS)
    for epsilon, count in zip(values, counts, strict=True):
        log_p, log_q = -np.logaddexp(0, -epsilon), -np.logaddexp(0, epsilon)
        terms = [ORDERS * log_p + (1 - ORDERS) * log_q, ORDERS * log_q + (1 - ORDERS) * log_p]
        total += count * logsumexp(terms, axis=0) / (ORDERS - 1)
    converted = total + np.log1p(-1 / ORDERS) - (math.log(delta) + np.log(ORDERS)) / (ORDERS - 1)
    return max(0.0, float(converted.min()))
