"""The Hybrid Mechanism (Wang et al. 2019): Piecewise with probability 1 − e^{−ε/2}, else Duchi.

Up to ε* always Duchi; above, the variance is the same for every weight. Its worst case never exceeds those of
its two parts; others are better at some budgets (k-RR with 16 levels at ε 8: .0112 against .0249).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.duchi import Duchi
from ldp_core.mechanisms.piecewise import Piecewise
from ldp_core.mechanisms.shared.blocks import where
from ldp_core.mechanisms.shared.scale_free import ScaleFree, near

EPSILON_STAR = 0.609352493027310
"""ε* with s = e^{ε/2} the root of 3s³ − s² + s − 7; Duchi alone is better below it."""
BLUR = 1e-11
"""Least relative tolerance for an output to count as an atom."""

PIECEWISE, DUCHI = Piecewise(), Duchi()


class Hybrid(ScaleFree):
    label = "Hybrid"
    order = 6
    summary = (
        "Tosses a coin between Piecewise and Duchi, and is Duchi alone up to ε 0.609: never a worse worst "
        "case than either, and above that as much noise for one weight as for any other."
    )
    formula = (
        r"\tilde w=\begin{cases}\text{Piecewise}(w)&\text{with probability }1-e^{-\varepsilon/2}\\"
        r"\text{Duchi}(w)&\text{otherwise, and always for }\varepsilon\le 0.609\end{cases}"
    )
    reference = "Wang et al. 2019, section 3.3"
    quadratic = True

    def unit_coefficients(self, epsilon: Floats) -> dict[str, Floats]:
        share = _share(epsilon)
        parts = {f"pm_{k}": v for k, v in PIECEWISE.unit_coefficients(epsilon).items()}
        parts |= {f"duchi_{k}": v for k, v in DUCHI.unit_coefficients(epsilon).items()}
        # the same draw decides and answers: what lies below the share, or above it, is stretched to [0, 1)
        below, above = 1 / np.maximum(share, 1e-30), 1 / np.maximum(1 - share, 1e-30)
        return {"share": share, "below": below, "above": above, **parts}

    def unit_sample(self, v: Any, u: Any, k: Mapping[str, Any]) -> Any:
        share = k["share"]
        pm = {name[3:]: value for name, value in k.items() if name.startswith("pm_")}
        duchi = {name[6:]: value for name, value in k.items() if name.startswith("duchi_")}
        narrow = PIECEWISE.unit_sample(v, u * k["below"], pm)
        return where(u < share, narrow, DUCHI.unit_sample(v, (u - share) * k["above"], duchi))

    def unit_variance(self, v: Floats, epsilon: Floats) -> Floats:
        q, gap = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
        mixed = q * (1 + 3 * q) / (3 * gap) + q / np.tanh(epsilon / 2) ** 2
        return np.where(epsilon > EPSILON_STAR, mixed + np.zeros_like(v), DUCHI.unit_variance(v, epsilon))

    def unit_log_prob(self, y: Floats, v: Floats, epsilon: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            narrow = np.log(_share(epsilon)) + PIECEWISE.unit_log_prob(y, v, epsilon)
        log_rest = np.where(epsilon > EPSILON_STAR, -epsilon / 2, 0.0)  # of Duchi, exact for any budget
        wide = log_rest + DUCHI.unit_log_prob(y, v, epsilon)
        return np.where(self.unit_atomic(y, epsilon), wide, narrow)

    def unit_atomic(self, y: Floats, epsilon: Floats) -> Any:
        return near(np.abs(y), 1 / np.tanh(epsilon / 2), 1e-12)

    def unit_settled(self, y: Floats, epsilon: Floats, blur: Floats) -> Floats:
        # an output next to an atom is one or not: snap it, as its precision demands
        atom = np.sign(y) / np.tanh(epsilon / 2)
        beside = np.abs(y - atom) <= np.maximum(blur, BLUR * (1 + np.abs(atom)))
        return np.where(beside, atom, PIECEWISE.unit_settled(y, epsilon, blur))

    def unit_delta(self, target: Floats, epsilon: Floats) -> Floats:
        share = _share(epsilon)
        return share * PIECEWISE.unit_delta(target, epsilon) + (1 - share) * DUCHI.unit_delta(target, epsilon)

    def unit_affinity(self, v: Floats, w: Floats, epsilon: Floats) -> Floats | None:
        share = _share(epsilon)  # an atom is Duchi's answer, anything else is Piecewise's
        narrow, wide = (one.unit_affinity(v, w, epsilon) for one in (PIECEWISE, DUCHI))
        return None if narrow is None or wide is None else share * narrow + (1 - share) * wide

    def unit_atoms(self, epsilon: float) -> Floats:
        return DUCHI.unit_atoms(epsilon)

    def unit_edges(self, v: float, epsilon: float) -> Floats:
        return PIECEWISE.unit_edges(v, epsilon) if epsilon > EPSILON_STAR else np.empty(0)


def _share(epsilon: Floats) -> Floats:
    return np.where(epsilon > EPSILON_STAR, -np.expm1(-epsilon / 2), 0.0)
