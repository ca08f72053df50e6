"""What an attacker has of a client in a sum whose other members' values are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldp_core.mechanisms.base import Floats, Mechanism
from ldp_core.trust._sums import Facts, SumTrust
from ldp_core.trust.base import Against, Trust

if TYPE_CHECKING:
    from ldp_core.accounting.spending import Spending


class Known(Trust):
    """Trust for attacks on a sum, whose attacker knows all values in the sum but one client's.

    The client's upload then has all the noise that ε relies on; if participants are drawn, the client is one
    of them.
    """

    of: SumTrust

    own_noise: ClassVar[bool] = True
    against: ClassVar[Against] = "sum"

    @property
    def helps(self) -> tuple[str, ...]:
        return ("the values of all other clients in the sum, and that this one is in it",)

    def sums(self, experiment: Any) -> tuple[NDArray[np.int64], Floats]:
        return self.of.sums(experiment)

    def measures(self, experiment: Any) -> bool:
        return all(row.chance == 1 for row in self.of.plan(experiment))

    def made(self, mechanism: Mechanism, experiment: Any) -> Mechanism:
        made, rows = self.of.made(mechanism, experiment), self.of.plan(experiment)
        shares = tuple((row.epsilon, row.added) for row in rows)
        return made.model_copy(update={"shares": shares, "grid": 0.0, "apart": True})

    def ranges(self, experiment: Any, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        low, high = SumTrust.ranges(self.of, experiment, low, high)
        reach = {row.epsilon: row.reach for row in self.of.plan(experiment)}
        budgets = self.of.per_use(experiment, experiment.clients.budgets(), low, high).tolist()
        share = np.array([reach[one] for one in budgets]) / Facts.of(self.of, experiment).reach
        centre, half = (low + high) / 2, (high - low) / 2
        return centre - half * share, centre + half * share

    def per_use(self, experiment: Any, asked: Floats, low: Floats, high: Floats) -> Floats:
        return self.of.per_use(experiment, asked, low, high)

    def prices(self, experiment: Any) -> Spending:
        return self.of.prices(experiment)
