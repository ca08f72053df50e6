"""The Laplace mechanism on a safe range (Dwork et al. 2006): scale (high − low) / ε."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.scale_free import ScaleFree


class Laplace(ScaleFree):
    label = "Laplace"
    order = 2
    summary = (
        "Adds noise with a sharp peak and long tails: about two times in three below its own scale, now and "
        "then many times that, and as much for one weight as for any other."
    )
    formula = r"\tilde w = w + \operatorname{Lap}\!\Big(\frac{b-a}{\varepsilon}\Big)"
    reference = "Dwork, McSherry, Nissim and Smith 2006; PLU-FedOA, the baseline of paper 000"
    quadratic = True

    def unit_coefficients(self, epsilon: Floats) -> dict[str, Floats]:
        return {"scale": 2 / epsilon}

    def unit_sample(self, v: Any, u: Any, k: Mapping[str, Any]) -> Any:
        side = u - 0.5
        # a float32 uniform can be exactly 0, whose logarithm would be infinite
        tail = np.log(np.clip(1 - 2 * np.abs(side), 2.0**-25, None))
        return v - k["scale"] * np.sign(side) * tail

    def unit_variance(self, v: Floats, epsilon: Floats) -> Floats:
        return 8 / epsilon**2 + np.zeros_like(v)

    def unit_log_prob(self, y: Floats, v: Floats, epsilon: Floats) -> Floats:
        return np.log(epsilon / 4) - np.abs(y - v) * epsilon / 2

    def unit_delta(self, target: Floats, epsilon: Floats) -> Floats:
        return -np.expm1((target - epsilon) / 2)

    def unit_affinity(self, v: Floats, w: Floats, epsilon: Floats) -> Floats:
        halves = np.abs(v - w) * epsilon / 4
        return np.exp(-halves) * (1 + halves)

    def unit_edges(self, v: float, epsilon: float) -> Floats:
        return np.array([-np.inf, v, np.inf])
