"""Which ε to ask for, so that a whole run costs a client so much at worst: the ledger, read backwards.

Mechanisms and scopes differ in what their ε is for, so runs are put side by side by what they cost, and not
by what they ask for.
"""

from __future__ import annotations

import math

from ldp_core.accounting.backwards import largest
from ldp_core.accounting.ledger import everyone, promise
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Experiment, changed
from ldp_core.limits import EPSILON


def run_budget(experiment: Experiment, client: int = 0) -> float:
    """The ε of a client's whole run at worst, at the ledger's δ; infinite where nothing bounds it.

    A limit that the client sets itself is left out of it.
    """
    return promise(experiment, everyone(experiment)[client]).run_worst.bound


def epsilon_for(experiment: Experiment, budget: float) -> float:
    """The largest ε, the same for all clients, at which a run costs the first of them `budget` at most.

    The run costs at most `backwards.TOLERANCE` less than the budget, and never more.

    Raises:
        InvalidInput: no ε within its limits costs so much, or so little.
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
