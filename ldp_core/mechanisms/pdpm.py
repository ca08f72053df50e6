"""PDPM, the perturbation of PLDP-FL (paper 000, algorithm 2 and eq. 10), in two forms.

With x = e^−ε and v in [−1, 1]: the upper output a = (1+3x)/(1−x) has probability ((1+v) + x(1−v)) /
(2(1+2x)). As printed, the rest is split evenly between −2b and 0, where b = (1+x)/(1−x). Both have the same
likelihood under every input, so the split is independent randomness: it hides nothing and adds variance.
Corrected, the two are replaced by their mean −b, at the same privacy loss.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ldp_core.limits import number
from ldp_core.mechanisms.base import Correction, Corrections, Floats, Use
from ldp_core.mechanisms.shared.blocks import where
from ldp_core.mechanisms.shared.scale_free import ScaleFree, near, one_of_two, two_atoms


class PDPM(ScaleFree):
    label = "PDPM"
    order = 4
    summary = (
        "Answers with a high value, or else a low one; PLDP-FL's own mechanism, lopsided: "
        "noisier than Duchi for every weight and budget."
    )
    formula = (
        r"\tilde w-c\in\Big\{\tfrac{L(e^\varepsilon+3)}{2(e^\varepsilon-1)},\,"
        r"-\tfrac{L(e^\varepsilon+1)}{2(e^\varepsilon-1)}\Big\},\quad "
        r"\Pr[\text{high}]=\tfrac{(w-c)(e^\varepsilon-1)}{L(e^\varepsilon+2)}"
        r"+\tfrac{e^\varepsilon+1}{2(e^\varepsilon+2)}"
    )
    reference = "Paper 000 (PLDP-FL), algorithm 2, eq. 10"
    as_printed = (
        "As printed, the low answer is split into two with equal likelihoods, which hides nothing "
        "and adds variance; the printed bound on the variance is wrong for ranges longer than 1.45, and for "
        "large budgets from 1.37 on."
    )
    corrected = "Corrected, the two low answers are one: the same ε with less noise."
    discrete = True
    quadratic = True

    def unit_coefficients(self, epsilon: Floats) -> dict[str, Floats]:
        x, high, low = _outcomes(epsilon)
        return {"high": high, "low": low, "lean": (1 - x), "level": (1 + x), "total": 2 * (1 + 2 * x)}

    def unit_sample(self, v: Any, u: Any, k: Mapping[str, Any]) -> Any:
        high, low = k["high"], k["low"]
        p_high = (v * k["lean"] + k["level"]) / k["total"]
        return where(u < p_high, high, -low)

    def unit_variance(self, v: Floats, epsilon: Floats) -> Floats:
        x, gap = np.exp(-epsilon), -np.expm1(-epsilon)
        # (a − v)(v + b), each factor written so that it stays exact at the ends of the range
        return ((1 - v) + x * (3 + v)) * ((1 + v) + x * (1 - v)) / gap**2

    def unit_worst_input(self, epsilon: Floats) -> Floats:
        return -np.exp(-epsilon) / np.expm1(-epsilon)

    def unit_log_prob(self, y: Floats, v: Floats, epsilon: Floats) -> Floats:
        x, high, low = _outcomes(epsilon)
        return one_of_two(y, high, -low, _p_high(v, x), _p_low(v, x))

    def unit_delta(self, target: Floats, epsilon: Floats) -> Floats:
        # the high answer at the two ends: 1/(1+2x) against x/(1+2x); the low ones give less
        return -np.expm1(target - epsilon) / (1 + 2 * np.exp(-epsilon))

    def unit_atoms(self, epsilon: float) -> Floats:
        _, high, low = _outcomes(np.asarray(epsilon))
        return np.array([-low, high], dtype=np.float64)

    def differences(self, value: float, epsilon: float, low: float, high: float, use: Use) -> Corrections:
        printed, merged = (self.formed(form).at(epsilon, low, high) for form in ("as_printed", "corrected"))
        bounds = self.printed_variance_bound(epsilon, low, high), float(printed.max_variance)
        divides = "the bound divides by the range's length where it should multiply by its square"
        both = float(printed.variance(value)), float(merged.variance(value))
        split = "the two low answers have the same likelihoods: the split hides nothing and adds noise"
        return (
            Correction("largest variance, by theorem 1 and in truth", *bounds, divides),
            Correction(f"variance for a weight of {number(value, 6)}", *both, split),
        )

    @staticmethod
    def printed_variance_bound(epsilon: float, low: float, high: float) -> float:
        """Bound of paper 000's theorem 1, (E+1)(E+3)/(L(E−1)²): wrong, for comparison only."""
        x, gap = np.exp(-epsilon), -np.expm1(-epsilon)
        return float((1 + x) * (1 + 3 * x) / ((high - low) * gap**2))


class PDPMAsPrinted(PDPM):
    form = "as_printed"

    def unit_sample(self, v: Any, u: Any, k: Mapping[str, Any]) -> Any:
        high, low = k["high"], k["low"]
        p_high = (v * k["lean"] + k["level"]) / k["total"]
        rest = where(u < p_high + (1 - p_high) / 2, -2 * low, 0 * low)
        return where(u < p_high, high, rest)

    def unit_variance(self, v: Floats, epsilon: Floats) -> Floats:
        x, _, low = _outcomes(epsilon)
        # the split adds b² for each of the two low answers, whose probability is 1 − p_high
        return super().unit_variance(v, epsilon) + low**2 * _p_low(v, x)

    def unit_worst_input(self, epsilon: Floats) -> Floats:
        x = np.exp(-epsilon)
        return (7 * x**2 + 2 * x - 1) / (-4 * np.expm1(-epsilon) * (1 + 2 * x))

    def unit_log_prob(self, y: Floats, v: Floats, epsilon: Floats) -> Floats:
        x, high, low = _outcomes(epsilon)
        half = np.log(_p_low(v, x)) - np.log(2)
        split = two_atoms(y, high, -2 * low, np.log(_p_high(v, x)), half)
        return np.where(near(y, np.zeros_like(y)), half, split)

    def unit_atoms(self, epsilon: float) -> Floats:
        _, high, low = _outcomes(np.asarray(epsilon))
        return np.array([-2 * low, 0.0, high], dtype=np.float64)


def _outcomes(epsilon: Floats) -> tuple[Floats, Floats, Floats]:
    """x = e^−ε, the high output a, and b, the distance of the merged low output below the centre."""
    x, gap = np.exp(-epsilon), -np.expm1(-epsilon)
    return x, (1 + 3 * x) / gap, (1 + x) / gap


def _p_high(v: Floats, x: Floats) -> Floats:
    """Probability of the high output, exact down to e^−ε at the lower end of the range."""
    return ((1 + v) + x * (1 - v)) / (2 * (1 + 2 * x))


def _p_low(v: Floats, x: Floats) -> Floats:
    """Probability of a low output, exact down to e^−ε at the upper end of the range."""
    return ((1 - v) + x * (3 + v)) / (2 * (1 + 2 * x))
