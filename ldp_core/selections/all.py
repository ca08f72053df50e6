"""All clients in every round."""

import numpy as np
from numpy.typing import NDArray

from ldp_core.selections.base import Selection


class All(Selection):
    label = "everybody"
    order = 1
    summary = "Every client uploads in every round."
    reference = "Federated averaging"

    def choose(self, count: int, seed: int, number: int, rounds: int) -> NDArray[np.int64]:
        return np.arange(count)

    def expected_uploads(self, count: int, rounds: int) -> float:
        return float(rounds)

    def size(self, count: int) -> int:
        return count
