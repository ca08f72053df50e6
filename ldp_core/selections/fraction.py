"""A new random share of the clients each round (paper 000's γ)."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.fields import Number
from ldp_core.limits import FRACTION
from ldp_core.selections.base import Selection
from ldp_core.streams import stream


class Fraction(Selection):
    """⌈γK⌋ clients per round, drawn without replacement."""

    label = "a random share"
    summary = "A random share of the clients uploads in each round; in the worst case the same ones always."
    formula = r"|\mathcal P_t|=\max(1,\lfloor\gamma K\rceil)"
    reference = "Paper 000 (PLDP-FL), algorithm 1"

    fraction: Annotated[float, Number(FRACTION)] = Field(
        FRACTION.default, description="share of the clients, γ"
    )

    def size(self, count: int) -> int:
        return max(1, round(self.fraction * count))

    def choose(self, count: int, seed: int, number: int, rounds: int) -> NDArray[np.int64]:
        chosen = stream(seed, "selection", number).choice(count, size=self.size(count), replace=False)
        return np.sort(chosen).astype(np.int64)

    def expected_uploads(self, count: int, rounds: int) -> float:
        return rounds * self.size(count) / count
