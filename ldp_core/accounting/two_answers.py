"""Composition of a mechanism with two answers that lose unequally, such as PDPM's.

What the whole curve δ(t) dominates is then more than any two inputs can show: its high answer tells
ε, its low one less, and no pair of inputs makes both tell ε. The worst pair of inputs for a use is
either the two ends of the range or the same two turned round (every other pair blurs one of these,
Blackwell), and which of them is worst depends on what the other uses have shown. Trying both before
every use, with all that was seen so far in mind, gives the exact worst case of a block of uses; the
blocks are then composed as uses of their own are.
"""

from __future__ import annotations

import math

import numpy as np

from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.base import Floats

BLOCKS = range(10, 26)
"""Uses that a block may have."""
CELLS = 8
"""Cells of the lattice in the larger loss."""
TOO_FEW = 1e-3
"""A loss of the low answer, as a share of the high one's, below which the lattice tells little."""
LEAST = 1e-290
"""A probability of an answer below which its ratio to another is lost."""


def answers(mechanism: Mechanism, epsilon: float, low: float, high: float) -> tuple[float, float] | None:
    """The probability of the answer that tells more, from the end it speaks for and from the other end.

    None for a mechanism that has not two answers, or whose two tell the same.
    """
    if mechanism.scope != "coordinate":
        return None
    atoms = mechanism.atoms(low, epsilon, low, high)
    if len(atoms) != 2:
        return None
    top, bottom = (
        np.exp([float(mechanism.log_prob(atom, end, epsilon, low, high)) for atom in atoms])
        for end in (high, low)
    )
    if abs(float(top.sum()) - 1) > 1e-9 or min(*top, *bottom) < LEAST:
        return None  # it has other answers, or one that is too rare to be told from none
    (p, q), (p_, q_) = (top[1], bottom[1]), (bottom[0], top[0])
    upper, lower = math.log(p / q), math.log(p_ / q_)
    if min(upper, lower) > (1 - TOO_FEW) * max(upper, lower) or min(upper, lower) <= 0:
        return None
    return (float(p), float(q)) if upper > lower else (float(p_), float(q_))


def block_of(uses: int) -> int:
    """The uses of a block, so that whole blocks exceed `uses` by little; all of them, if they are few."""
    if uses <= BLOCKS[-1]:
        return uses
    return min(reversed(BLOCKS), key=lambda size: -(-uses // size) * size)


def block_curve(likely: float, unlikely: float, uses: int) -> Floats:
    """δ of `uses` uses at losses 0, …, uses·ε, `CELLS` of them for one ε, from above; inputs may adapt.

    Args:
        likely, unlikely: the probability of the answer that tells more, from the two ends.
    """
    step = math.log(likely / unlikely) / CELLS
    # the other answer's loss lies between two places; what is split between them keeps both laws' totals
    place = math.log((1 - likely) / (1 - unlikely)) / step
    left = math.floor(place)
    share = -math.expm1((left - place) * step) / -math.expm1(-step)
    forth = [(CELLS, likely), (left, (1 - likely) * (1 - share)), (left + 1, (1 - likely) * share)]
    back = [(-j, p * math.exp(-j * step)) for j, p in forth]
    reach = uses * CELLS
    curve = np.maximum(0.0, -np.expm1(step * np.arange(-reach, reach + 1)))
    below, above = -np.expm1(step * np.arange(-reach - CELLS, -reach)), np.zeros(CELLS)
    for _ in range(uses):
        known = np.concatenate([below, curve, above])
        curve = np.maximum(*(_after(known, way, len(curve)) for way in (forth, back)))
    return np.asarray(curve[reach:], np.float64)


def _after(known: Floats, losses: list[tuple[int, float]], length: int) -> Floats:
    """The curve one use earlier, if that use has these losses."""
    total = np.zeros(length)
    for j, p in losses:
        total += p * known[CELLS - j : CELLS - j + length]
    return total
