"""Composition by a mechanism's own law, tighter than for an arbitrary mechanism of the same ε.

The curve δ(t), the exact δ of one use at every t, determines the composition (Zhu, Dong and Wang 2022: a pair
of distributions with this curve dominates every use). On a lattice of losses with −ε, 0 and ε, the tightest
dominating pair interpolates the curve linearly in e^t (Doroshenko et al. 2022). If δ is linear in e^t from 0
to ε, three losses suffice; other curves get a finer lattice and are bounded from above.

The distribution of the sum of k losses comes from its characteristic function, φ^k. Two errors are added to
δ: the probability outside the window of sums, and the rounding of the Fourier transform.

For two outputs of unequal loss, such as PDPM's, the curve overestimates: no pair of inputs gives both outputs
the loss ε, and which order of the range's ends is worse depends on the other uses (`block_curve`).
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.base import Floats

BLOCKS = range(10, 26)
"""Possible numbers of uses in a block."""
BLOCK_CELLS = 8
"""Lattice cells up to the larger loss."""
TOO_FEW = 1e-3
"""Ratio of the low output's loss to the high one's below which the lattice is too coarse."""
MOST = 4
"""Largest number of outputs considered, some of which may be equivalent."""
SAME = 1e-9
"""Relative distance below which two losses are equal."""
RAREST = -667.0
"""Log-probability below which ratios to other outputs are lost."""
CELLS, FEWEST = 32, 4
"""Lattice cells between a loss of 0 and ε for a curve that is not linear; fewer if `WINDOW` would be
exceeded.
"""
WINDOW = 2**18
"""Approximate number of points of that window."""
OUTSIDE = 1e-13
"""Probability outside the window, which is subtracted from δ."""
STRAIGHT = 1e-5
"""Probability of losses strictly between 0 and ε up to which a linear curve above takes the curve's place."""
LEAST = 1e-9
"""Pure loss below which the curve has too few digits, so that the sum of losses is used."""
NOTHING = 1e-16
"""Least |φ|², so that its logarithm exists."""
FADED = 42.0
"""Frequencies with |φ|^k below e^−FADED are left out."""


class LogProbabilities(NamedTuple):
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


def answers(mechanism: Mechanism, epsilon: float, low: float, high: float) -> LogProbabilities | None:
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
    if abs(whole - 1) > 1e-9 or min(*top, *bottom) < RAREST:
        return None  # it has other answers, or one that is too rare to differ from none
    upper, lower = top[1] - bottom[1], bottom[0] - top[0]
    if min(upper, lower) > (1 - TOO_FEW) * max(upper, lower) or min(upper, lower) <= 0:
        return None
    if upper > lower:
        return LogProbabilities(top[1], bottom[1], top[0], bottom[0])
    return LogProbabilities(bottom[0], top[0], bottom[1], top[1])


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


def block_curve(pair: LogProbabilities, uses: int) -> Floats:
    """Upper bound on δ of `uses` adaptive uses at losses 0, …, uses·ε, with `BLOCK_CELLS` points per ε.

    Trying both orders of the range's ends before every use gives a block's exact worst case; other pairs of
    inputs are post-processings (Blackwell). Blocks are then composed like single uses.
    """
    step = pair.loss / BLOCK_CELLS
    # the other answer's loss lies between two places; what is split between them keeps both laws' totals
    place = (pair.other_likely - pair.other_unlikely) / step
    left = math.floor(place)
    other, whole = math.exp(pair.other_likely), -math.expm1(-step)
    share = -math.expm1((left - place) * step) / whole
    rest = math.exp(-step) * math.expm1((left + 1 - place) * step) / whole  # 1 − share, to its last digit
    forth = [(BLOCK_CELLS, math.exp(pair.likely)), (left, other * rest), (left + 1, other * share)]
    back = [(-j, p * math.exp(-j * step)) for j, p in forth]
    reach = uses * BLOCK_CELLS
    with np.errstate(over="ignore"):  # far above the loss itself δ is 0, however far
        curve = np.maximum(0.0, -np.expm1(step * np.arange(-reach, reach + 1)))
    below, above = -np.expm1(step * np.arange(-reach - BLOCK_CELLS, -reach)), np.zeros(BLOCK_CELLS)
    for _ in range(uses):
        known = np.concatenate([below, curve, above])
        curve = np.maximum(*(_after(known, way, len(curve)) for way in (forth, back)))
    return np.asarray(curve[reach:], np.float64)


def _after(known: Floats, losses: list[tuple[int, float]], length: int) -> Floats:
    """δ curve before a use with these losses, from the curve after it."""
    total = np.zeros(length)
    for j, p in losses:
        total += p * known[BLOCK_CELLS - j : BLOCK_CELLS - j + length]
    return total


@dataclass(frozen=True)
class Losses:
    """Privacy loss distribution of one use at −n·step … n·step; `masses` has shape (2n + 1,)."""

    step: float
    masses: Floats

    @property
    def cells(self) -> int:
        return len(self.masses) // 2

    @property
    def mean(self) -> float:
        """Mean loss in lattice steps; opposite losses are added in pairs, against cancellation."""
        up = self.masses[self.cells + 1 :]
        places = np.arange(1, self.cells + 1)
        return float((places * up * -np.expm1(-places * self.step)).sum())

    @property
    def variance(self) -> float:
        return float((self.masses * (np.arange(-self.cells, self.cells + 1) - self.mean) ** 2).sum())


@lru_cache(maxsize=4096)
def own_epsilon(
    mechanism: Mechanism, epsilon: float, low: float, high: float, uses: int, delta: float
) -> float:
    """Upper bound on the ε of `uses` ≥ 1 uses of a mechanism with pure ε, fitted, at a `delta` in (0, 1)."""
    loss = float(mechanism.at(epsilon, low, high).loss)
    if loss < LEAST:
        return uses * loss
    cells = min(CELLS, max(FEWEST, int(WINDOW / (16 * math.sqrt(uses)))))
    once = losses_of(mechanism, epsilon, low, high, cells)
    found = min(epsilon_of_sum(once, uses, delta), uses * loss)
    pair = answers(mechanism, epsilon, low, high)
    if pair is None or uses < 2:
        return found
    size = block_of(uses)
    block = joined(size * pair.loss, block_curve(pair, size))
    return min(found, epsilon_of_sum(block, -(-uses // size), delta))


@lru_cache(maxsize=4096)
def losses_of(mechanism: Mechanism, epsilon: float, low: float, high: float, cells: int) -> Losses:
    """Dominating loss distribution of one use, in `cells` steps up to the pure ε; one if linear in e^t."""
    law = mechanism.at(epsilon, low, high)
    loss = float(law.loss)
    curve = np.asarray(law.delta(np.linspace(0.0, loss, cells + 1)), np.float64)
    losses = joined(loss, curve)
    straight = losses.masses[cells + 1 : -1].sum() <= STRAIGHT
    return joined(loss, curve[[0, -1]]) if straight else losses


def joined(loss: float, curve: Floats) -> Losses:
    """Loss distribution with this δ curve at evenly spaced losses from 0 to `loss`, linear in e^t between."""
    cells = len(curve) - 1
    step = loss / cells
    falls = np.append(curve[:-1] - np.append(curve[1:-1], 0.0), 0.0)
    # in terms of e^t the curve's slope changes at a loss by the other input's probability of it
    gap = -math.expm1(-step)
    up = np.maximum(falls[:-1] / gap - falls[1:] * (math.exp(-step) / gap), 0.0)
    down = up * np.exp(-step * np.arange(1, cells + 1))
    # what is left has no loss at all; rounding may have taken it below nothing
    rest = max(0.0, 1.0 - float(up.sum() + down.sum()))
    return Losses(step, np.concatenate([down[::-1], [rest], up]))


def epsilon_of_sum(once: Losses, uses: int, delta: float) -> float:
    """ε at which the sum of `uses` losses has this `delta`."""
    chance, first, wrong = _sum_of(once, uses)
    goal = delta - wrong
    if goal <= 0:
        return math.inf
    tail = np.cumsum(chance[::-1])[::-1]
    last = int(np.count_nonzero(tail > goal)) - 1
    if last < 0:
        return 0.0
    # δ(ε) = Σ_{l > ε} P(l)·(1 − e^{ε − l}) falls with ε: step back from where the tail alone is small
    # enough, until δ is too large; the answer lies between
    start, back = last, 1
    share = -np.expm1(-once.step * np.arange(len(chance)))  # of a loss so many steps beyond ε
    # not by BLAS, whose threads would spin for longer than they compute
    while start > 0 and np.einsum("i,i", chance[start:], share[: len(chance) - start]) <= goal:
        start, back = max(0, last - back), 2 * back
    losses = (first + np.arange(start, len(chance))) * once.step
    # without the condition l > ε the sum from l on is largest for the right l, so the largest ε that
    # some l asks for is the answer
    with np.errstate(divide="ignore"):
        mirrored = np.logaddexp.accumulate((np.log(chance[start:]) - losses)[::-1])[::-1]
    enough = slice(0, last + 1 - start)
    return max(0.0, float((np.log(tail[start : last + 1] - goal) - mirrored[enough]).max()))


def _sum_of(once: Losses, uses: int) -> tuple[Floats, int, float]:
    """Distribution of a sum of losses in a window: probabilities, first value in steps, and total error."""
    mean, variance, cells = once.mean, once.variance, once.cells
    # distances of the sum from its mean that are exceeded with probability at most `OUTSIDE`
    rare = math.log(2 / OUTSIDE)
    third = 2 * cells * rare / 3
    bernstein = third + math.sqrt(third**2 + 2 * uses * variance * rare)
    reach = math.ceil(min(cells * math.sqrt(2 * uses * rare), bernstein)) + 1  # Hoeffding's, or that
    first = max(-cells * uses, math.floor(uses * mean) - reach)
    last = min(cells * uses, math.ceil(uses * mean) + reach)
    length = last - first + 1
    size = 2 ** max(1, math.ceil(math.log2(length)))
    characteristic, lost = _characteristic(once, uses, mean, size)
    frequencies = np.flatnonzero(characteristic)
    turns = 2 * np.pi * frequencies / size
    spectrum = np.zeros(size // 2 + 1, np.complex128)
    spectrum[frequencies] = characteristic[frequencies] * np.exp(-1j * turns * (uses * mean - first))
    chance = np.fft.irfft(spectrum, size)
    # each frequency is known to some digits, and the transform adds a few roundings to each point
    rounded = 4e-16 * (4 + math.log2(size)) * (1 + 2 * float(np.abs(characteristic).sum()))
    return np.maximum(chance[:length], 0.0), first, OUTSIDE + rounded + lost


def _characteristic(once: Losses, uses: int, mean: float, size: int) -> tuple[NDArray[np.complex128], float]:
    """E e^{−iω(S − mean)} of the sum at frequencies 2π·f/size, and a bound on the neglected part.

    φ^k is accurate for any k because φ − 1 is summed about the mean, where cancelling parts are small; only
    where a fast transform finds |φ|^k not negligible.
    """
    folded = np.bincount(np.arange(-once.cells, once.cells + 1) % size, once.masses, size)
    rough = np.abs(np.fft.rfft(folded))
    with np.errstate(divide="ignore"):
        there = np.flatnonzero(uses * np.log(np.minimum(rough + 1e-15, 1.0)) > -FADED)
    held = np.flatnonzero(once.masses)
    masses, places = once.masses[held], held - once.cells - mean
    values = np.zeros(size // 2 + 1, np.complex128)
    for part in np.array_split(there, 1 + there.size * held.size // 2**18):
        angles = 2 * np.pi / size * part[:, None] * places
        real = -2 * (np.sin(angles / 2) ** 2) @ masses
        imaginary = -np.sin(angles) @ masses
        log_size = 0.5 * np.log1p(np.maximum(2 * real + real**2 + imaginary**2, NOTHING - 1))
        turned = np.arctan2(imaginary, 1 + real)
        values[part] = np.exp(uses * (log_size + 1j * turned))
    return values, size * math.exp(-FADED)
