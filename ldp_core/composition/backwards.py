"""Inverse composition: from the ε of a whole run to the ε of one use."""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ldp_core.composition.spending import Releases, Spending
from ldp_core.errors import InvalidInput
from ldp_core.limits import EPSILON, number
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.kinds import alike, kinds

TOLERANCE = 1e-4
"""Relative distance by which a run's ε may stay below its budget."""
LEAST = 1e-12
"""Least ε of one use, below which its loss loses all digits."""
MANY = 256
STEEP = 1.2
STEPS = 200


def budgets_of_uses(releases: Releases, uploads: int, budgets: Floats, low: Floats, high: Floats) -> Floats:
    """Largest ε of one use with which `uploads` uploads stay within each client's budget of a whole run,
    (count,) as low and high. More than `MANY` different budgets are rounded down to as many values.

    Raises:
        InvalidInput: these releases have no finite ε, or a budget is below that of the least ε.
    """
    if alike(budgets).max() >= MANY:
        steps = np.geomspace(budgets.min(), budgets.max(), MANY)
        budgets = steps[np.searchsorted(steps, budgets * (1 + 1e-12), side="right") - 1]
    different, places = kinds(budgets, low, high)
    found = [_budget_of_use(releases, uploads, *each) for each in different]
    return np.array(found, np.float64)[places]


@lru_cache(maxsize=4096)
def _budget_of_use(releases: Releases, uploads: int, budget: float, low: float, high: float) -> float:
    spending = Spending(releases)
    whatever = spending.uploads((EPSILON.default, low, high), uploads)
    if not whatever.guarantee:
        raise InvalidInput(f"no ε of the run can be kept to: {whatever.why}")
    start = max(LEAST, budget / max(1.0, sum(release.uses for _, release in releases) * uploads))
    return largest(lambda epsilon: spending.uploads((epsilon, low, high), uploads).bound, budget, start)


def largest(cost: Callable[[float], float], budget: float, start: float) -> float:
    """Largest ε within its limits for which `cost(ε)`, increasing, is at most `budget`, and at most
    `TOLERANCE` below it, by power-law interpolation and bisection in log ε; raises `InvalidInput` if there is
    none.
    """
    goal = math.log(budget * (1 - TOLERANCE / 2))
    low, least = start, cost(start)
    while least > budget:
        low /= 4
        if low < LEAST:
            raise InvalidInput(f"no ε costs as little as {number(budget, 6)}")
        least = cost(low)
    high, most = low, least
    while most <= budget:
        if high >= EPSILON.maximum or least >= budget * (1 - TOLERANCE):
            return high
        # costs of many uses grow with a power of ε between 1 and 2
        further = high * math.exp(max(0.1, goal - math.log(most)) / STEEP) if most > 0 else 4 * high
        low, least, high = high, most, min(EPSILON.maximum, further)
        most = cost(high)
    for step in range(STEPS):
        if least >= budget * (1 - TOLERANCE) or high <= low * (1 + 1e-12):
            break
        share = 0.5
        if step % 4 < 3 and math.isfinite(most) and least > 0:
            share = (goal - math.log(least)) / (math.log(most) - math.log(least))
        middle = low * (high / low) ** min(max(share, 0.001), 0.999)
        found = cost(middle)
        if found <= budget:
            low, least = middle, found
        else:
            high, most = middle, found
    return low
