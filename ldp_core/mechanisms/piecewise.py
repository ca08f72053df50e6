"""The Piecewise Mechanism (Wang et al. 2019), used by PD-LDPFL (paper 003).

On [−1, 1], with s = e^{ε/2} and C = (s+1)/(s−1): the output lies in [−C, C]. With probability
s/(s+1) it falls uniformly in a window of width C−1 that moves with the value, from l to l + C−1,
where l = ((C+1)v − (C−1))/2; otherwise uniformly in the rest. Below, q = e^{−ε/2}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ldp_core.mechanisms.base import Floats, Form
from ldp_core.mechanisms.scale_free import ScaleFree


class Piecewise(ScaleFree):
    """A moving window of high density; exactly ε, attained by any two disjoint windows."""

    label = "Piecewise"
    order = 5
    summary = (
        "Answers anywhere in a wider range, most often in a narrow window around the true "
        "weight: with a large budget it comes close to the truth."
    )
    formula = (
        r"\Pr\big[\tilde w\in[l,\,l+C-1]\big]=\frac{e^{\varepsilon/2}}{e^{\varepsilon/2}+1},\quad "
        r"C=\frac{e^{\varepsilon/2}+1}{e^{\varepsilon/2}-1},\quad l=\tfrac{C+1}{2}v-\tfrac{C-1}{2}"
    )
    reference = "Wang et al. 2019, algorithm 2; paper 003 (PD-LDPFL)"
    forms: ClassVar[tuple[Form, ...]] = ("corrected",)

    def unit_coefficients(self, epsilon: Floats) -> dict[str, Floats]:
        q, gap = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
        return {"q": q, "gap": gap, "p_outside": q / (1 + q), "bound": (1 + q) / gap}

    def unit_sample(self, xp: Any, v: Any, u: Any, k: Mapping[str, Any]) -> Any:
        q, gap, p_outside = k["q"], k["gap"], k["p_outside"]
        window = 2 * q / gap  # C − 1, without the difference
        left = (v - q) / gap
        inside = left + window * (u - p_outside) * (1 + q)
        # u < p_outside: the same draw, stretched over the 2C − (C−1) = C+1 outside the window
        outside = u * (2 * (1 + q) / (gap * xp.clip(q, 1e-30, None))) - k["bound"]
        outside = xp.where(outside < left, outside, outside + window)
        return xp.where(u < p_outside, outside, inside)

    def unit_mean(self, v: Floats, epsilon: Floats) -> Floats:
        return v + np.zeros_like(epsilon)

    def unit_variance(self, v: Floats, epsilon: Floats) -> Floats:
        q, gap = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
        return q / gap * v**2 + q * (1 + 3 * q) / (3 * gap**2)

    def unit_worst_input(self, epsilon: Floats) -> Floats:
        return np.ones_like(epsilon)

    def unit_log_prob(self, y: Floats, v: Floats, epsilon: Floats) -> Floats:
        q, gap = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
        left, window, bound = (v - q) / gap, 2 * q / gap, (1 + q) / gap
        inside = epsilon / 2 + np.log(np.tanh(epsilon / 4) / 2)
        log_prob = np.where((y >= left) & (y <= left + window), inside, inside - epsilon)
        return np.where(np.abs(y) <= bound * (1 + 1e-6), log_prob, -np.inf)  # float32 may round past the end

    def unit_loss(self, epsilon: Floats) -> Floats:
        return epsilon

    def unit_delta(self, target: Floats, epsilon: Floats) -> Floats:
        # two disjoint windows: probability 1/(1+q) against e^−ε of it
        return -np.expm1(target - epsilon) / (1 + np.exp(-epsilon / 2))

    def unit_atoms(self, epsilon: float) -> Floats:
        return np.empty(0)

    def unit_edges(self, v: float, epsilon: float) -> Floats:
        q, gap = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
        left, bound = (v - q) / gap, (1 + q) / gap
        return np.array([-bound, left, left + 2 * q / gap, bound])
