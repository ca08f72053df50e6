"""Largest ε for a given worst-case ε of the whole run.

The meaning of ε differs between mechanisms and scopes, so runs are compared by the run's ε.
"""

from __future__ import annotations

import math

from ldp_core.accounting.backwards import largest
from ldp_core.accounting.ledger import everyone, promise
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Experiment, changed
from ldp_core.limits import EPSILON


def run_budget(experiment: Experiment) -> float:
    """Worst-case ε of the first client's whole run, at the ledger's δ; infinite if unbounded.

    The client's own limit is ignored.
    """
    return promise(experiment, everyone(experiment)[0]).run_worst.bound


def epsilon_for(experiment: Experiment, budget: float) -> float:
    """Largest ε, equal for all clients, with at most `budget` as the first client's worst-case ε of the run.

    The run's ε is at most `backwards.TOLERANCE` below the budget, relatively, and never above.

    Raises:
        InvalidInput: no ε within its limits gives this run ε.
    """

    def cost(epsilon: float) -> float:
        return run_budget(changed(experiment, {"clients.epsilon": epsilon}))

    least, most = cost(EPSILON.minimum), cost(EPSILON.maximum)
    if not least <= budget <= most or math.isinf(least):
        raise InvalidInput(
            f"the budget of the run must lie between {least:.4g} and {most:.4g}, which an ε {EPSILON} costs; "
            f"got {budget:g}; take more or fewer rounds, or another budget"
        )
    return largest(cost, budget, EPSILON.minimum)
