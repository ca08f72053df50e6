"""Robust-HDP: the server estimates each client's noise from the uploads of a round, and is told no budget.

The matrix of all uploads is split into one of low rank, what clients have in common, and a sparse rest, by
robust PCA's augmented Lagrangian; the size of a client's row of the rest stands for its noise.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from ldp_core.aggregators.base import Decision, RoundClients, SeesUploads, power_of_inverse
from ldp_core.fields import Whole
from ldp_core.limits import Limit
from ldp_core.mechanisms.base import Floats


class RobustHDP(SeesUploads):
    label = "Robust-HDP"
    summary = "Weighs each client by 1 over the noise that a robust PCA finds in its upload."
    formula = r"M=L+S,\quad w_i\propto 1/\lVert S_i\rVert^2"
    reference = "Malekmohammadi, Yu and Cao 2024"
    copies = 5

    steps: Annotated[int, Whole(Limit(1, 500, 40, "steps"))] = Field(40, description="steps of the PCA")

    def decide(self, uploads: Floats, clients: RoundClients) -> Decision:
        rest = _rest(uploads, self.steps)
        return Decision(power_of_inverse((rest**2).sum(axis=1), 1.0))


def _rest(rows: Floats, steps: int) -> Floats:
    """Sparse part of a matrix."""
    share, largest = 1 / np.sqrt(max(rows.shape)), np.linalg.norm(rows, 2)
    if largest == 0:
        return rows
    rest, dual, weight = np.zeros_like(rows), rows / max(largest, np.abs(rows).max() / share), 1.25 / largest
    for _ in range(steps):
        left, sizes, right = np.linalg.svd(rows - rest + dual / weight, full_matrices=False)
        common = (left * np.maximum(sizes - 1 / weight, 0)) @ right
        left_over = rows - common + dual / weight
        rest = np.sign(left_over) * np.maximum(np.abs(left_over) - share / weight, 0)
        dual = dual + weight * (rows - common - rest)
        weight *= 1.5
    return rest
