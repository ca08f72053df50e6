"""Majority vote, weight by weight (paper 001, eq. 10): the sign of the (weighted) sum of votes."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from ldp_core.aggregators.base import Aggregator, power_of_inverse
from ldp_core.fields import Choice, Number
from ldp_core.limits import STEP
from ldp_core.mechanisms.base import Floats, Values

VOTES = ("equal", "inverse_std")


class SignMajority(Aggregator):
    """Every weight of the aggregate is +step or −step (0 where votes are even)."""

    label = "majority"
    order = 6
    summary = "Only the sign of the sum counts: made for mechanisms that send signs, like ldpsign."
    formula = r"\bar w=\eta\,\operatorname{sign}\Big(\sum_i\alpha_i\,\tilde w_i\Big)"
    reference = "Paper 001 (Personalized LDP-FL), algorithm 2, for non-IID data"

    votes: Annotated[str, Choice(VOTES)] = Field("equal", description="votes")
    step: Annotated[float, Number(STEP)] = Field(STEP.default, description="length of a step, η")

    def raw_weights(
        self, variances: Floats, sizes: Floats, between: float, generator: np.random.Generator | None
    ) -> Floats:
        return np.ones_like(variances) if self.votes == "equal" else power_of_inverse(variances, 0.5)

    def finish(self, total: Values) -> Values:
        sign: Any = np.sign(total) if isinstance(total, np.ndarray) else total.sign()
        return sign * self.step
