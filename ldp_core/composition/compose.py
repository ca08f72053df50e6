"""Composition of pure ε: the total loss of many uses of any mechanism of one ε.

Any ε-private mechanism is a post-processing of binary randomised response with the same ε (Kairouz, Oh and
Viswanath 2015), so the composition of randomised responses bounds all others.
"""

import math
from functools import lru_cache

import numpy as np
from scipy.special import gammaln


@lru_cache(maxsize=4096)
def optimal(epsilon: float, k: int, delta: float) -> float:
    """The exact ε of k-fold composition at `delta` in (0, 1), at most the sum (Kairouz, Oh and Viswanath
    2015, theorem 3.3).

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
