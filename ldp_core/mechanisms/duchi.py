"""Duchi's two-point mechanism, which paper 004 calls Adaptive-Duchi when each layer has a range.

On [−1, 1]: the output is ±B with B = coth(ε/2), and +B has probability ½(1 + v/B). Below, x = e^−ε keeps
every expression finite for any budget.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.blocks import where
from ldp_core.mechanisms.shared.scale_free import ScaleFree, one_of_two


class Duchi(ScaleFree):
    label = "Duchi"
    order = 3
    summary = (
        "Answers with one of two values outside the range, far outside for a small budget, tossing a coin "
        "that leans towards the true weight."
    )
    formula = (
        r"\tilde w = c \pm r\,\frac{e^\varepsilon+1}{e^\varepsilon-1},\qquad "
        r"\Pr[+]=\tfrac12+\tfrac{w-c}{2r}\,\frac{e^\varepsilon-1}{e^\varepsilon+1}"
    )
    reference = "Duchi, Jordan and Wainwright 2018; paper 004, eq. 9"
    discrete = True
    quadratic = True

    def unit_coefficients(self, epsilon: Floats) -> dict[str, Floats]:
        return {"outcome": 1 / np.tanh(epsilon / 2), "slope": np.tanh(epsilon / 2)}

    def unit_sample(self, v: Any, u: Any, k: Mapping[str, Any]) -> Any:
        return where(2 * u - 1 < v * k["slope"], k["outcome"], -k["outcome"])

    def unit_variance(self, v: Floats, epsilon: Floats) -> Floats:
        # B² − v² = (B² − 1) + (1 − v²): at the ends the difference would lose every digit
        return 1 / np.sinh(np.minimum(epsilon, 700) / 2) ** 2 + (1 - v) * (1 + v)

    def unit_log_prob(self, y: Floats, v: Floats, epsilon: Floats) -> Floats:
        x, outcome = np.exp(-epsilon), 1 / np.tanh(epsilon / 2)
        plus = ((1 + v) + x * (1 - v)) / (2 * (1 + x))
        minus = ((1 - v) + x * (1 + v)) / (2 * (1 + x))
        return one_of_two(y, outcome, -outcome, plus, minus)

    def unit_delta(self, target: Floats, epsilon: Floats) -> Floats:
        # the two ends of the range: P(+) = 1/(1+x) against x/(1+x)
        return -np.expm1(target - epsilon) / (1 + np.exp(-epsilon))

    def unit_atoms(self, epsilon: float) -> Floats:
        outcome = 1 / np.tanh(epsilon / 2)
        return np.array([-outcome, outcome])
