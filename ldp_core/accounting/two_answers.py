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
from typing import NamedTuple

import numpy as np

from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.base import Floats

BLOCKS = range(10, 26)
"""Uses that a block may have."""
CELLS = 8
"""Cells of the lattice in the larger loss."""
TOO_FEW = 1e-3
"""A loss of the low answer, as a share of the high one's, below which the lattice tells little."""
MOST = 4
"""Answers that are looked at, some of which may tell the same."""
SAME = 1e-9
"""Losses that lie closer together, as a share of the largest, are one."""
LEAST = -667.0
"""The logarithm of an answer's probability below which its ratio to another is lost."""


class Answers(NamedTuple):
    """The logarithms of two answers' probabilities, the one that tells more first: from the end of the range
    that this one speaks for, and from the other. A probability next to 1 would lose all digits of the rest.
    """

    likely: float
    unlikely: float
    other_likely: float
    """Of the answer that tells less, from the end that the first speaks for: its loss is negative there."""
    other_unlikely: float

    @property
    def loss(self) -> float:
        """Largest log-likelihood ratio over the two answers."""
        return self.likely - self.unlikely


def answers(mechanism: Mechanism, epsilon: float, low: float, high: float) -> Answers | None:
    """Two-answer form of a mechanism's law; None if more than two answers differ in what they tell."""
    if mechanism.scope != "coordinate":
        return None
    law = mechanism.at(epsilon, low, high)
    atoms = law.atoms(low)
    if not 2 <= len(atoms) <= MOST:
        return None
    found = _merged(*(law.log_prob(atoms, end) for end in (high, low)))
    if len(found) != 2:
        return None
    top, bottom = found.T.tolist()
    whole = math.exp(top[0]) + math.exp(top[1])
    if abs(whole - 1) > 1e-9 or min(*top, *bottom) < LEAST:
        return None  # it has other answers, or one that is too rare to differ from none
    upper, lower = top[1] - bottom[1], bottom[0] - top[0]
    if min(upper, lower) > (1 - TOO_FEW) * max(upper, lower) or min(upper, lower) <= 0:
        return None
    if upper > lower:
        return Answers(top[1], bottom[1], top[0], bottom[0])
    return Answers(bottom[0], top[0], bottom[1], top[1])


def _merged(top: Floats, bottom: Floats) -> Floats:
    """(n, 2): answers that tell the same are one, with the sum of their probabilities (as logarithms, from
    both ends), in the order of what they tell: as printed PDPM has two low answers of equal likelihoods.
    """
    losses = top - bottom
    order = np.argsort(losses)
    if not np.isfinite(losses).all():
        return np.empty((0, 2))
    new = np.diff(losses[order]) > SAME * np.abs(losses).max()
    groups = np.split(order, np.flatnonzero(new) + 1)
    return np.array([[np.logaddexp.reduce(ends[group]) for ends in (top, bottom)] for group in groups])


def block_of(uses: int) -> int:
    """Block size such that whole blocks exceed `uses` by little; all uses if they are few."""
    if uses <= BLOCKS[-1]:
        return uses
    return min(reversed(BLOCKS), key=lambda size: -(-uses // size) * size)


def block_curve(pair: Answers, uses: int) -> Floats:
    """δ of `uses` uses at losses 0, …, uses·ε, `CELLS` of them for one ε, from above; inputs may adapt."""
    step = pair.loss / CELLS
    # the other answer's loss lies between two places; what is split between them keeps both laws' totals
    place = (pair.other_likely - pair.other_unlikely) / step
    left = math.floor(place)
    other, whole = math.exp(pair.other_likely), -math.expm1(-step)
    share = -math.expm1((left - place) * step) / whole
    rest = math.exp(-step) * math.expm1((left + 1 - place) * step) / whole  # 1 − share, to its last digit
    forth = [(CELLS, math.exp(pair.likely)), (left, other * rest), (left + 1, other * share)]
    back = [(-j, p * math.exp(-j * step)) for j, p in forth]
    reach = uses * CELLS
    with np.errstate(over="ignore"):  # far above the loss itself δ is 0, however far
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
