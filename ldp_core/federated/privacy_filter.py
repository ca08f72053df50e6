"""How often each client has uploaded, and whether it can afford to do so again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.accounting import Spending, everyone
from ldp_core.experiment import Experiment


class PrivacyFilter:
    """Counts uploads over one run and holds them against each client's own limit."""

    def __init__(self, experiment: Experiment, uploads: NDArray[np.int64] | None = None) -> None:
        self._spending = Spending(experiment)
        self._clients = everyone(experiment)
        self._limits = experiment.clients.run_limits()
        self._rounds = experiment.rounds
        self._count = np.zeros(len(self._clients), dtype=np.int64) if uploads is None else uploads.copy()
        most = {
            key: self._spending.affordable(*key)
            for key in set(zip(self._clients, self._limits.tolist(), strict=True))
            if key[1] < np.inf
        }
        pairs = zip(self._clients, self._limits.tolist(), strict=True)
        self._most = np.array([most.get(pair, experiment.rounds) for pair in pairs])

    def can_afford(self, clients: NDArray[np.int64]) -> NDArray[np.bool_]:
        """True for each of the clients that may upload once more."""
        return self._count[clients] < self._most[clients]

    def spend(self, clients: NDArray[np.int64]) -> None:
        """Each of the clients has uploaded."""
        self._count[clients] += 1

    @property
    def count(self) -> NDArray[np.int64]:
        """Uploads of each client so far, (K,); a copy."""
        return self._count.copy()

    @property
    def stopped(self) -> int:
        """How many clients have reached their limit."""
        return int(((self._count >= self._most) & (self._most < self._rounds)).sum())

    def spent(self, clients: NDArray[np.int64]) -> dict[str, dict[str, Any]]:
        """For some clients: uploads so far, what they have cost, and what is left of their limit."""
        found = {}
        for i in clients.tolist():
            line = self._spending.uploads(self._clients[i], int(self._count[i]))
            limit = float(self._limits[i])
            left = max(0.0, limit - line.bound) if line.guarantee and limit < np.inf else None
            found[str(i)] = {
                "uploads": int(self._count[i]),
                "epsilon": line.epsilon,
                "delta": line.delta,
                "left": left,
            }
        return found
