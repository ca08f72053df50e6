"""Each client uploads as often as its own limit on the run's ε allows, in rounds drawn at random."""

import numpy as np
from numpy.typing import NDArray

from ldp_core.selections.base import Budgets, ByBudget


class ByLimit(ByBudget):
    label = "by budget"
    summary = "Who allows its run more ε uploads more often, always with the same noise."
    formula = r"\Pr(i\text{ takes part})=m_i/T"
    reference = "Lange, Borchardt and Rahm 2025"

    def schedule(self, budgets: Budgets, rounds: int, generator: np.random.Generator) -> NDArray[np.bool_]:
        places = generator.random((rounds, len(budgets.affordable))).argsort(axis=0)
        return places < budgets.affordable
