"""Noise that is added to a sum of many people's values: what is seen of the sum promises each of them.

Skellam noise, the difference of two Poisson counts, is what shares of it add up to exactly; its Rényi
divergence is bounded by Agarwal, Kairouz and Liu 2021 (theorem 3.5), at whole orders. Gaussian noise is
exact. Where those who take part are drawn and stay hidden, δ of one use follows from Balle, Barthe and
Gaboardi 2018 (theorem 2) and the worst values of a person, opposite ends of a line through 0: seen from the
one value, the likelihoods of the others are then comonotone, so that their mixture is largest in convex
order. Uses are composed by their loss distribution. Two inputs are neighbours that differ in one person's
values.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from ldp_core.accounting.own_law import LEAST, epsilon_of_sum, joined
from ldp_core.mechanisms.base import Floats
from ldp_core.normal import delta_of, epsilon_of

ORDERS = np.unique(np.geomspace(2, 1e5, 400).astype(np.int64)).astype(np.float64)
CELLS = 64
"""Of the lattice of losses."""
ROUNDING = 1e-11
"""Relative, of the largest term of a δ."""
SHARE = 1e-3
"""Of δ, that pays for losses beyond the lattice."""


@lru_cache(maxsize=4096)
def skellam_epsilon(variance: float, longest: float, added: float, uses: int, delta: float) -> float:
    """ε of `uses` sums with Skellam noise on whole numbers.

    Args:
        variance: of the noise on each number, in squared steps of the grid.
        longest: how far apart a person's two vectors may be, in steps: Euclidean.
        added: the same, as the sum of absolute differences.
        uses: sums that the person is part of.
        delta: in (0, 1).
    """
    square = longest**2
    more = np.minimum(((2 * ORDERS - 1) * square + 6 * added) / (4 * variance**2), 3 * added / (2 * variance))
    total = uses * (ORDERS * square / (2 * variance) + more)
    converted = total + np.log1p(-1 / ORDERS) - (math.log(delta) + np.log(ORDERS)) / (ORDERS - 1)
    return max(0.0, float(converted.min()))


def sampled_delta(target: Floats, mu: float, chance: float, replaced: bool) -> Floats:
    """δ at targets ≥ 0 of a Gaussian sum in which a person is with a hidden probability.

    Args:
        target: ε.
        mu: distance of a person's two values over σ.
        chance: probability of taking part, in (0, 1].
        replaced: a person who is not drawn leaves the place to another (draws without replacement), whose
            values may be as far away; else the place stays empty, half as far away (draws of one's own).
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
    """ε of `uses` such sums; exact where everybody takes part. At most that of sums with everybody."""
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
