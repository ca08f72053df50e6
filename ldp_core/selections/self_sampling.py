"""Clients decide independently whether they take part (paper 004, algorithm 4)."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.fields import Number
from ldp_core.limits import LEAST_CHANCE
from ldp_core.selections.base import Selection
from ldp_core.streams import stream


class SelfSampling(Selection):
    """Each client takes part in a round with a probability q ~ U(least, 1), drawn anew: (1 + least)/2 on
    average. In a round without participants the model stays.
    """

    label = "who wants to"
    summary = (
        "Each client decides by a draw of its own whether it uploads; the server sees who does, so this "
        "lowers no ε."
    )
    formula = r"q_i\sim U(\tfrac12,1),\ \text{takes part if }U(0,1)<q_i:\quad\Pr=\tfrac34"
    reference = "Paper 004 (Optimal LDP-FL), algorithm 4"

    least: Annotated[float, Number(LEAST_CHANCE)] = Field(
        LEAST_CHANCE.default, description="least chance to take part"
    )

    @property
    def chance(self) -> float:
        return (1 + self.least) / 2

    def choose(self, count: int, seed: int, number: int, rounds: int) -> NDArray[np.int64]:
        generator = stream(seed, "selection", number)
        chances = generator.uniform(self.least, 1, count)
        return np.flatnonzero(generator.random(count) < chances)

    def expected_uploads(self, count: int, rounds: int) -> float:
        return rounds * self.chance
