"""Composition of mechanisms with two outputs of unequal loss, such as PDPM's.

The whole curve δ(t) overestimates then: the high output has loss ε, the low one less, and no pair of inputs
gives both loss ε. The worst pair of inputs of a use is the two ends of the range in either order (other pairs
are post-processings, Blackwell), and which order is worse depends on the other uses. Trying both before every
use, adaptively, gives the exact worst case of a block of uses; blocks are then composed like single uses.
"""

import math
from typing import NamedTuple

import numpy as np

from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.base import Floats

BLOCKS = range(10, 26)
"""Possible numbers of uses in a block."""
CELLS = 8
"""Lattice cells up to the larger loss."""
TOO_FEW = 1e-3
"""Ratio of the low output's loss to the high one's below which the lattice is too coarse."""
MOST = 4
"""Largest number of outputs considered, some of which may be equivalent."""
SAME = 1e-9
"""Relative distance below which two losses are equal."""
LEAST = -667.0
"""Log-probability below which ratios to other outputs are lost."""


class Answers(NamedTuple):
    """Log-probabilities of the more revealing and of the other output, for the input that favours the first
    of them and for the other input: a probability near 1 would lose the digits of its complement.
    """

    likely: float
    unlikely: float
    other_likely: float
    other_unlikely: float

    @property
    def loss(self) -> float:
        """Largest log-likelihood ratio over the two outputs."""
        return self.likely - self.unlikely


def answers(mechanism: Mechanism, epsilon: float, low: float, high: float) -> Answers | None:
    """A mechanism's law as two outputs; None if more than two differ in their likelihood ratio."""
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
    """(n, 2): log-probabilities for both ends, by rising ratio; outputs of equal ratio are joined."""
    losses = top - bottom
    order = np.argsort(losses)
    if not np.isfinite(losses).all():
        return np.empty((0, 2))
    new = np.diff(losses[order]) > SAME * np.abs(losses).max()
    groups = np.split(order, np.flatnonzero(new) + 1)
    return np.array([[np.logaddexp.reduce(ends[group]) for ends in (top, bottom)] for group in groups])


def block_of(uses: int) -> int:
    """Block size whose multiples exceed `uses` by little; `uses` itself if small."""
    if uses <= BLOCKS[-1]:
        return uses
    return min(reversed(BLOCKS), key=lambda size: -(-uses // size) * size)


def block_curve(pair: Answers, uses: int) -> Floats:
    """Upper bound on δ of `uses` adaptive uses at losses 0, …, uses·ε, with `CELLS` points per ε."""
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
    """δ curve before a use with these losses, from the curve after it."""
    total = np.zeros(length)
    for j, p in losses:
        total += p * known[CELLS - j : CELLS - j + length]
    return total
