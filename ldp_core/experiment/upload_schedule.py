"""Who uploads in which round, as far as that is known before a run."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ldp_core.composition.spending import Client, Spending
from ldp_core.experiment.schema import Experiment
from ldp_core.selections.base import Budgets, ByBudget
from ldp_core.streams import stream
from ldp_core.trust import Population


@dataclass(frozen=True, eq=False)
class Turns:
    experiment: Experiment
    paid: Callable[[], tuple[Population, Spending]]
    """The clients' ε of one use, and the prices of their uploads."""

    @cached_property
    def affordable(self) -> NDArray[np.int64]:
        """Number of uploads that each client's own ε limit allows, at most one per round, (K,)."""
        limits, rounds = self.experiment.clients.run_limits(), self.experiment.rounds
        found, known = np.full(len(limits), rounds, dtype=np.int64), dict[tuple[Client, float], int]()
        limited = np.flatnonzero(np.isfinite(limits)).tolist()
        if limited:
            population, prices = self.paid()
        for i in limited:
            pair = population.of(i), float(limits[i])
            if pair not in known:
                known[pair] = prices.affordable(*pair)
            found[i] = known[pair]
        return found

    @cached_property
    def drawn(self) -> NDArray[np.bool_] | None:
        """Who uploads in which round, (rounds, K), where budgets decide that; else None."""
        asked = self.experiment
        if not isinstance(asked.selection, ByBudget):
            return None
        known = Budgets(asked.clients.budgets(), self.affordable)
        table = asked.selection.schedule(known, asked.rounds, stream(asked.seed, "selection"))
        return table & (table.cumsum(axis=0) <= self.affordable)

    @cached_property
    def counts(self) -> NDArray[np.int64] | None:
        """Each client's number of uploads, (K,), where it is drawn before; else None."""
        return None if self.drawn is None else self.drawn.sum(axis=0)

    @property
    def expected(self) -> float:
        """Mean number of uploads of a client in the run, ignoring its own ε limit unless drawn before."""
        asked = self.experiment
        if self.counts is not None:
            return float(self.counts.mean())
        return asked.selection.expected_uploads(asked.clients.count, asked.rounds)

    def chosen(self, round: int) -> NDArray[np.int64]:
        """Clients that are chosen for a round, ascending."""
        asked = self.experiment
        if self.drawn is not None:
            return np.flatnonzero(self.drawn[round - 1])
        return asked.selection.choose(asked.clients.count, asked.seed, round, asked.rounds)
