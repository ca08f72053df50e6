"""Privacy filter: which clients may upload once more within their ε limit, and what their uploads cost."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.accounting import everyone
from ldp_core.experiment import Experiment


class PrivacyFilter:
    """Compares each client's uploads so far, (K,), with the number that its ε limit allows."""

    def __init__(self, experiment: Experiment) -> None:
        self._spending = experiment.prices
        self._clients = everyone(experiment)
        self._limits = experiment.clients.run_limits()
        self._rounds = experiment.rounds
        pairs = [*zip(self._clients, self._limits.tolist(), strict=True)]
        most = {pair: self._spending.affordable(*pair) for pair in {*pairs} if pair[1] < np.inf}
        self._most = np.array([most.get(pair, experiment.rounds) for pair in pairs])

    def can_afford(self, uploads: NDArray[np.int64]) -> NDArray[np.bool_]:
        return uploads < self._most

    def stopped(self, uploads: NDArray[np.int64]) -> int:
        return int(((uploads >= self._most) & (self._most < self._rounds)).sum())

    def spent(self, uploads: NDArray[np.int64], clients: NDArray[np.int64]) -> dict[str, dict[str, Any]]:
        """By client: uploads so far, ε spent, and ε left of its limit."""
        found = {}
        for i in clients.tolist():
            line = self._spending.uploads(self._clients[i], int(uploads[i]))
            limit = float(self._limits[i])
            left = max(0.0, limit - line.bound) if line.guarantee and limit < np.inf else None
            cost = {"epsilon": line.epsilon, "delta": line.delta}
            found[str(i)] = {"uploads": int(uploads[i]), **cost, "left": left}
        return found
