"""Groups of equal clients, a line each, with budgets to drag."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ldp_core.experiment import Experiment
from ldp_core.experiment.schema import Population
from ldp_core.mechanisms.base import Floats
from ldp_core.theory import client_variance
from pages.parts.clients.costs import promise_words, run_promises
from pages.parts.ui.ladders import BUDGETS
from pages.parts.ui.text import number

MOST_GROUPS, MOST_CLIENTS = 12, 1000
"""Largest numbers of different clients, and of clients, for which lines are drawn."""
MOST_OPEN = 60
"""Largest group whose clients have lines of their own."""


def group_data(experiment: Experiment) -> dict[str, Any] | None:
    """Data for assets/web/dots.js; None for too many different clients."""
    clients = experiment.clients
    if clients.count > MOST_CLIENTS:
        return None
    budgets, (low, high) = clients.budgets(), clients.bounds()
    found: dict[tuple[float, float, float], list[int]] = {}
    for i, key in enumerate(zip(budgets.tolist(), low.tolist(), high.tolist(), strict=True)):
        found.setdefault(key, []).append(i)
        if len(found) > MOST_GROUPS:
            return None
    ladder, limits = BUDGETS.over(budgets.tolist()), clients.run_limits()
    return {
        "words": [number(step) for step in ladder],
        "values": [repr(step) for step in ladder],
        "groups": [
            {
                "name": f"{number(len(mine), 6)} clients" if len(mine) > 1 else f"client {mine[0] + 1}",
                "clients": [i + 1 for i in mine[:MOST_OPEN]],
                "all": [i + 1 for i in mine],
                "at": ladder.index(key[0]),
                "noise": [f"σ {number(float(each))}" for each in _noise(experiment, ladder, *key[1:])],
                "worth": [
                    promise_words(experiment, promise)
                    for promise in run_promises(experiment, ladder, *key[1:], limit=float(limits[mine].max()))
                ],
            }
            for key, mine in found.items()
        ],
    }


def _noise(experiment: Experiment, ladder: Sequence[float], low: float, high: float) -> Floats:
    """Standard deviation of the noise per weight at each ε, for a client with that range."""
    ends = np.full(len(ladder), low), np.full(len(ladder), high)
    others = Population(experiment.per_use(np.array(ladder), *ends), *ends)
    found: Floats = np.sqrt(client_variance(experiment, others=others))
    return found
