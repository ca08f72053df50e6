"""One bit through a coin: k-ary randomised response with two answers, and what a room's sent bits tell.

A bit is sent as it is with probability e^ε/(1+e^ε), else turned over. Given how many of n people would truly
say yes, the number that is sent as yes is a sum of two binomials; from it an exact interval for the true
number follows.
"""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from ldp_core import mechanisms
from ldp_core.accounting import Promise, worth
from ldp_core.mechanisms.base import Floats

LAW = mechanisms.get("grr", levels=2)
TENFOLD = 10
CHOICES = (math.log(3), 0.25, 0.5)
"""ε that a teacher chooses from, the first one first; each can be asked again ten times larger."""
BUDGETS = {f"{e:.2g}": e for e in (*CHOICES, *(TENFOLD * one for one in CHOICES))}
"""ε by its name."""
CONFIDENCE = 0.95
PEOPLE, TRUTH = 100, 30
"""People of the simulated room, and how many of them would say yes."""


class Odds(NamedTuple):
    right: int
    tries: int


def tenfold(name: str) -> str:
    """Name of the ε ten times larger; "" if it is one already."""
    larger = f"{TENFOLD * BUDGETS[name]:.2g}"
    return larger if larger in BUDGETS else ""


def values(epsilon: float) -> tuple[float, float]:
    """Outputs for a sent no and yes: unbiased estimates of the bit."""
    no, yes = LAW.at(epsilon, 0.0, 1.0).atoms(0.0)
    return float(no), float(yes)


def keep(epsilon: float) -> float:
    """Probability that a bit is sent as it is, by the mechanism's own law."""
    return float(np.exp(LAW.log_prob(values(epsilon)[1], 1.0, epsilon, 0.0, 1.0)))


def estimate(yes: int, people: int, epsilon: float) -> float:
    """Unbiased estimate of the share of true yes, which may lie outside [0, 1]."""
    of_no, of_yes = values(epsilon)
    return (yes * of_yes + (people - yes) * of_no) / people


@cache
def intervals(people: int, epsilon: float) -> list[tuple[int, int]]:
    """Interval for the number of true yes, by the number of sent yes; it holds in `CONFIDENCE` of rooms at
    least, whatever their answers.
    """
    p = keep(epsilon)
    law = np.array([np.convolve(_binomial(t, p), _binomial(people - t, 1 - p)) for t in range(people + 1)])
    tail = (1 - CONFIDENCE) / 2
    at_most, at_least = law.cumsum(1) > tail, law[:, ::-1].cumsum(1)[:, ::-1] > tail
    lows = [int(np.argmax(one)) if one.any() else people for one in at_least.T]
    highs = [people - int(np.argmax(one[::-1])) if one.any() else 0 for one in at_most.T]
    return list(zip(lows, highs, strict=True))


def _binomial(n: int, p: float) -> Floats:
    k = np.arange(n + 1)
    return np.exp(
        gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)
    )


def odds(epsilon: float) -> Odds:
    """Largest rate at which an attacker who sees all bits of a person under this ε is right."""
    found = worth(Promise(epsilon, guarantee=True)).right
    return Odds(*(found or (10**6, 10**6)))


def room(shown: str, counts: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    """A room for assets/web/coin_room.js: the ε to choose from, and that shown or its tenfold, with how many
    sent a yes, of how many, by the name of ε.
    """
    names = [*sorted((f"{one:.2g}" for one in CHOICES), key=float), tenfold(shown) or shown]
    people = counts[shown][1]
    return {
        "laws": [law(counts[name][1] if name in counts else people, name) for name in names],
        "said": [counts[name][0] if name in counts else None for name in names],
        "start": names.index(shown),
    }


def simulated() -> dict[str, Any]:
    """A room for assets/web/coin_room.js whose coins are tossed in the browser."""
    return room(next(iter(BUDGETS)), dict.fromkeys([next(iter(BUDGETS))], (0, PEOPLE))) | {"truth": TRUTH}


def law(people: int, name: str) -> dict[str, Any]:
    """The coin of an ε, in a room of so many people."""
    epsilon = BUDGETS[name]
    at = odds(epsilon)
    return {
        "name": name,
        "people": people,
        "keep": keep(epsilon),
        "kept": [round(keep(epsilon) * at.tries), at.tries],
        "right": at,
        "values": values(epsilon),
        "ends": intervals(people, epsilon),
    }
