"""ε of each person whose values are added to a sum, given the noise in that sum.

Skellam noise is the difference of two Poisson variables, and sums of independent Skellam shares are Skellam;
its Rényi divergence is bounded by Agarwal, Kairouz and Liu 2021 (theorem 3.5), at integer orders. Gaussian
noise is exact. Where participants are drawn and stay hidden, δ of one sum follows from Balle, Barthe and
Gaboardi 2018 (theorem 2) with a person's worst values, opposite ends of a line through 0: the likelihoods of
all other values are then comonotone, so that their mixture is largest in convex order. Several sums are
composed by their privacy loss distribution. Neighbouring inputs differ in one person's values.
"""

import math
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from ldp_core.composition.own_law import LEAST, epsilon_of_sum, joined
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.gaussian_privacy import delta_of, epsilon_of

ORDERS = np.unique(np.geomspace(2, 1e5, 400).astype(np.int64)).astype(np.float64)
CELLS = 64
"""Number of cells of the loss lattice."""
ROUNDING = 1e-11
"""Rounding error relative to the largest term of a δ."""
SHARE = 1e-3
"""Share of δ that covers losses beyond the lattice."""


@lru_cache(maxsize=4096)
def skellam_epsilon(variance: float, longest: float, added: float, uses: int, delta: float) -> float:
    """ε of `uses` sums of integers with Skellam noise of this variance on each coordinate, at `delta` in (0,
    1); `longest` and `added`: largest Euclidean and L1 distance of two vectors of one person, in grid steps.
    """
    square = longest**2
    more = np.minimum(((2 * ORDERS - 1) * square + 6 * added) / (4 * variance**2), 3 * added / (2 * variance))
    total = uses * (ORDERS * square / (2 * variance) + more)
    converted = total + np.log1p(-1 / ORDERS) - (math.log(delta) + np.log(ORDERS)) / (ORDERS - 1)
    return max(0.0, float(converted.min()))


def sampled_delta(target: Floats, mu: float, chance: float, replaced: bool) -> Floats:
    """δ at each `target` ε ≥ 0 of one sum with Gaussian noise, in which a person takes part with a hidden
    probability.

    Args:
        mu: distance of a person's two worst values over the noise's standard deviation.
        chance: probability of taking part, in (0, 1].
        replaced: whether another person takes the place of one who is not drawn (sampling without
            replacement), with values as far away; or it stays empty (Poisson sampling), half as far away.
    """
    if replaced or chance == 1:
        return np.asarray(chance * delta_of(np.log1p(np.expm1(target) / chance), mu), np.float64)
    # (1 − q)N(0) + qN(c) against (1 − q)N(0) + qN(−c), whose ratio grows with x: where it is e^ε, e^(cx) is y
    q, c, more = chance, mu / 2, np.expm1(target)
    half, unit = (1 - q) * more / 2, q * np.exp(-(c**2) / 2)
    y = (half + np.sqrt(half**2 + (1 + more) * unit**2)) / unit
    x = np.log(y) / c
    found = q * ndtr(c - x) - more * (1 - q) * ndtr(-x) - (1 + more) * q * ndtr(-x - c)
    return np.maximum(found, 0.0) + ROUNDING * q * ndtr(c - x)


@lru_cache(maxsize=4096)
def sampled_epsilon(mu: float, chance: float, replaced: bool, uses: int, delta: float) -> float:
    """ε of `uses` sums with Gaussian noise and hidden participants, at `delta`; arguments as in
    `sampled_delta`. Exact for `chance` 1; otherwise an upper bound, never above that.
    """
    whole = float(epsilon_of(delta, mu * math.sqrt(uses)))
    if chance == 1:
        return whole
    left = SHARE * delta / uses
    reach = float(epsilon_of(left, mu))
    for _ in range(2):  # to a little beyond where so little is left
        targets = np.linspace(0.0, reach, CELLS + 1)
        reach = float(targets[np.argmax(sampled_delta(targets, mu, chance, replaced) <= left)])
    if uses == 1:
        for _ in range(4):
            enough = int(np.argmax(sampled_delta(targets, mu, chance, replaced) <= delta))
            targets = np.linspace(targets[max(0, enough - 1)], targets[enough], CELLS + 1)
        return min(whole, float(targets[-1]))
    if reach < LEAST:
        return min(whole, reach * uses)
    curve = sampled_delta(np.linspace(0.0, reach, CELLS + 1), mu, chance, replaced)
    return min(whole, epsilon_of_sum(joined(reach, curve), uses, (1 - 2 * SHARE) * delta))
