"""How often a client's next upload is recognised by the ε and range that come with it, names removed.

An attacker who holds an upload of one round guesses among those of the next round that declare the same.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ldp_core.experiment import Plan
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.kinds import alike
from ldp_core.streams import stream

GROUPS = 3
"""Number of groups of equal declarations, where clients are grouped: by ε, or else by width of range."""
MOST = 2**18
"""Approximate largest number of uploads that are looked at."""


@dataclass(frozen=True)
class Linked:
    tries: int = 0
    chance: float = 0.0
    """Mean probability that a guess among all uploads of a round is right."""
    right: dict[str, int] = field(default_factory=dict)
    """Right guesses by what is declared and differs between clients: "ε", "range" or "ε and range" …"""
    grouped: int = 0
    """… and if clients of each of `GROUPS` groups of about equal size declare the same."""


def linked(plan: Plan) -> Linked:
    """Recognitions from each round to the next; without tries where no single uploads are seen, all declare
    the same, or no client is in two successive rounds. ε is declared to a shuffler, or where weights need it.
    """
    asked, trust = plan.asked, plan.experiment.trust
    if trust.own_noise:
        return Linked()
    by_noise = np.ptp(asked.aggregator.moments(np.array([1.0, 2.0]))[0]) > 0
    budgets, low, high, count = (
        asked.people.epsilon,
        asked.people.low,
        asked.people.high,
        asked.public.clients,
    )
    said: dict[str, tuple[Floats, ...]] = {"range": (low, high)}
    if by_noise or trust.against == "shuffled heap":
        said = {"ε": (budgets,), **said, "ε and range": (budgets, low, high)}
    keys = {by: alike(*terms) for by, terms in said.items() if all(np.ptp(term) for term in terms)}
    if not keys:
        return Linked()
    keys[""] = _grouped(budgets if "ε" in keys else high - low)
    rounds = [plan.turns.chosen(number) for number in range(1, min(asked.rounds, 2 + MOST // count) + 1)]
    draw, tries, chance, right = stream(asked.seed, "linkage"), 0, 0.0, dict.fromkeys(keys, 0)
    for before, after in pairwise(rounds):
        again = np.intersect1d(before, after, assume_unique=True)
        tries += len(again)
        chance += len(again) / max(1, len(after))
        for by, key in keys.items():
            many = np.bincount(key[after], minlength=count)[key[again]]
            right[by] += int((draw.random(len(again)) * many < 1).sum())
    grouped = right.pop("", 0)
    return Linked(tries, chance / max(1, tries), right, grouped)


def _grouped(term: Floats) -> NDArray[np.int64]:
    """Group of each client, (K,); those of equal `term` are in one."""
    ordered = np.sort(term)
    return np.searchsorted(ordered[np.arange(1, GROUPS) * len(ordered) // GROUPS], term, "right")
