"""Majority vote per weight (paper 001, eq. 10, 13 and 16): the sign of the weighted sum of votes."""

from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from ldp_core.aggregators.base import Aggregator, Generator, Mask, Moments, Noise, NoiseMoments
from ldp_core.aggregators.inverse_std import InverseStd
from ldp_core.aggregators.inverse_variance import InverseVariance
from ldp_core.aggregators.mean import Mean
from ldp_core.aggregators.probability_selection import ProbabilitySelection
from ldp_core.fields import Choice, Number
from ldp_core.limits import STEP
from ldp_core.mechanisms.base import Floats, Values

VOTES: dict[str, type[Aggregator]] = {
    "equal": Mean,
    "inverse_std": InverseStd,
    "inverse_variance": InverseVariance,
    "lottery": ProbabilitySelection,
}
EVEN = 1e-12
"""Magnitude of a sum of ±1/K below which the vote is a tie, as it is rounding error."""


class SignMajority(Aggregator):
    """Every weight of the aggregate is +step or −step (0 for a tie)."""

    label = "majority"
    order = 6
    summary = "Only the sign of the sum counts: made for mechanisms that send signs, like ldpsign."
    formula = r"\bar w=\eta\,\operatorname{sign}\Big(\sum_i\alpha_i\,\tilde w_i\Big)"
    reference = "Paper 001 (Personalized LDP-FL), algorithm 2, for non-IID data"
    unpredicted = "it depends on how close each vote is"

    votes: Annotated[str, Choice(tuple(VOTES))] = Field("equal", description="votes: equal, 1/σ, 1/σ², lots")
    step: Annotated[float, Number(STEP)] = Field(STEP.default, description="length of a step, η")

    @property
    def draws(self) -> bool:
        return self.counted.draws

    @property
    def counted(self) -> Aggregator:
        """Aggregator that weights the votes by their noise σ."""
        return VOTES[self.votes]()

    def raw_weights(self, variances: Floats, sizes: Floats, between: float, generator: Generator) -> Floats:
        return self.counted.raw_weights(variances, sizes, between, generator)

    def moments(self, variances: ArrayLike, sizes: ArrayLike | None = None, between: float = 0.0) -> Moments:
        return self.counted.moments(variances, sizes, between)

    def noise(
        self, drawn: NoiseMoments, worst: Floats, sizes: Floats, here: Mask, between: float = 0.0
    ) -> Noise:
        return self.counted.noise(drawn, worst, sizes, here, between)

    def finish(self, total: Values) -> Values:
        sums: Any = total
        sign = np.sign(sums) if isinstance(sums, np.ndarray) else sums.sign()
        return sign * (abs(sums) > EVEN) * self.step
