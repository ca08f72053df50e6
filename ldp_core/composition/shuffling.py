"""Privacy amplification by a trusted shuffler, for messages of one mechanism, ε and range.

Two ε₀-private distributions of a message differ in a positive and a negative part; any other message is a
draw from either part with probability at most 1/(e^ε₀ + 1) (Feldman, McMillan and Talwar 2023, "stronger
clones"). So n shuffled messages reveal no more than this pair: C ~ Bin(n − 1, 2/(e^ε₀ + 1)) clones, A ~
Bin(C, 1/2) of them like the first value, and output (A + Δ, C − A + 1 − Δ) with Δ ~ Bern(e^ε₀/(e^ε₀ + 1)), or
the reverse. δ(ε) is summed exactly; grouped values of C count as the least of them, which reveals most.
"""

import math
from functools import cache

import numpy as np
from scipy.special import bdtr, betainc, expit

from ldp_core.composition.own_law import LEAST, epsilon_of_sum, joined
from ldp_core.errors import InvalidInput, shown
from ldp_core.mechanisms.base import Floats

TOO_LARGE = 60.0
"""Local ε from which on fewer than 10^20 messages give no amplification."""
PLACES = 200
"""Approximate number of distinguished values of C …"""
REACH = 9.0
"""… within so many standard deviations of its mean."""
STEPS = 64
TOLERANCE = 1e-5
"""Relative, of an ε."""
CELLS = 48
"""Number of cells of the loss lattice on which shuffled sets are composed."""
ROUNDING = 1e-9
"""Relative rounding error of a δ."""


@cache
def shuffled(epsilon: float, clients: int, delta: float, heaps: int = 1) -> float:
    """ε of the shuffler's output; at most the ε of as many messages without shuffler.

    Args:
        epsilon: local ε of one message, ≥ 0.
        clients: number of clients whose messages, of equal mechanism, ε and range, are mixed, ≥ 1.
        delta: total δ over all shuffled sets, in [0, 1).
        heaps: number of shuffled sets; each client sends one message to each.

    Raises:
        InvalidInput: an argument is out of range.
    """
    if not (isinstance(epsilon, int | float) and 0 <= epsilon < math.inf):
        raise InvalidInput(f"epsilon must be a finite number of at least 0; got {shown(epsilon)}")
    if not (isinstance(delta, int | float) and 0 <= delta < 1):
        raise InvalidInput(f"delta must be at least 0 and below 1; got {shown(delta)}")
    for name, count in (("clients", clients), ("heaps", heaps)):
        if isinstance(count, bool) or not (isinstance(count, int) and count >= 1):
            raise InvalidInput(f"{name} must be a whole number of at least 1; got {shown(count)}")
    if not delta or not epsilon or epsilon > TOO_LARGE:
        return epsilon * heaps
    # the least loss that is exceeded with so little probability that it may be left to δ
    share = 1.0 if heaps == 1 else 1e-3
    high = _least(float(epsilon), clients, share * delta / heaps)
    if heaps == 1 or high < LEAST:
        return high * heaps
    curve = heap_delta(np.linspace(0.0, high, CELLS + 1), epsilon, clients)
    return min(epsilon_of_sum(joined(high, curve), heaps, (1 - 2 * share) * delta), heaps * float(epsilon))


def _least(epsilon: float, clients: int, delta: float) -> float:
    """Least ε, approached from above, at which a shuffled set's δ is at most `delta`: secants on ln δ, within
    a bracket that is halved where they do not converge.
    """
    low, high, above, below = 0.0, epsilon, math.inf, -math.inf
    for step in range(STEPS):
        share = above / (above - below) if math.isfinite(above - below) and step % 3 else 0.5
        middle = low + min(max(share, 0.001), 0.999) * (high - low)
        over = math.log(max(float(heap_delta(middle, epsilon, clients)[()]), 1e-300) / delta)
        low, high = (middle, high) if over > 0 else (low, middle)
        above, below = (over, below) if over > 0 else (above, over)
        if high - low <= TOLERANCE * high:
            break
    return high


def heap_delta(target: Floats | float, epsilon: float, clients: int) -> Floats:
    """δ of one shuffled set at `target` ε ≥ 0, of any shape, for local ε in (0, `TOO_LARGE`]."""
    goal = np.asarray(target, np.float64)[..., None]
    alike, chances = _clones(epsilon, clients)
    likely, of = expit(epsilon), alike + 1
    # the first count tells e^ε or more for the one value from here on
    least = np.floor(of * (1 + np.tanh(goal / 2) / math.tanh(epsilon / 2)) / 2) + 1
    own, other = _at_least(least - 1, alike), _at_least(least, alike)
    one = likely * own + expit(-epsilon) * other
    turned = expit(-epsilon) * own + likely * other
    found = (np.maximum(one - np.exp(goal) * turned, 0.0) + ROUNDING * one) @ chances
    return np.where(goal[..., 0] >= epsilon, 0.0, found)


def _clones(epsilon: float, clients: int) -> tuple[Floats, Floats]:
    """Values of C, ascending from 0, and the probabilities of C from each to below the next."""
    others, chance = clients - 1, float(2 * expit(-epsilon))
    mean = others * chance
    reach = REACH * math.sqrt(mean * (1 - chance)) + REACH**2 / 2
    first, last = max(0, math.floor(mean - reach)), min(others, math.ceil(mean + reach))
    values = np.unique(np.append(0, np.linspace(first, last, min(PLACES, last - first + 1)).astype(np.int64)))
    below = np.append(bdtr(values - 1.0, others, chance) if others else np.zeros(len(values)), 1.0)
    below[0] = 0.0
    return values.astype(np.float64), np.maximum(np.diff(below), 0.0)


def _at_least(least: Floats, of: Floats) -> Floats:
    """Probability of at least `least` heads in `of` fair coin tosses."""
    inside = np.clip(least, 1, of)
    with np.errstate(invalid="ignore"):
        found = betainc(inside, of - inside + 1, 0.5)
    return np.where(least <= 0, 1.0, np.where(least > of, 0.0, found))
