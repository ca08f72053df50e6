"""Generalised randomised response (k-RR) on evenly spaced levels of the safe range.

A weight is rounded at random, without bias, to one of its two neighbouring levels; the level is reported with
probability p = e^ε/(e^ε+k−1), any other with q = 1/(e^ε+k−1). The output is the level multiplied by 1/(p−q),
which removes the bias towards the centre. With two levels this is Duchi's mechanism. Below, x = e^−ε.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from ldp_core.fields import Whole
from ldp_core.limits import LEVELS
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.blocks import where
from ldp_core.mechanisms.shared.scale_free import ScaleFree, near


class GRR(ScaleFree):
    label = "k-RR"
    order = 10
    summary = (
        "Rounds the weight to one of k levels and answers with that level more often than with any other, by "
        "the factor e to the ε."
    )
    formula = (
        r"\Pr[\text{level }m]=q+(p-q)\Pr[\text{rounded to }m],\quad "
        r"p=\frac{e^\varepsilon}{e^\varepsilon+k-1}=e^\varepsilon q"
    )
    reference = "Kairouz, Bonawitz and Ramage 2016; paper 000, its baseline for categories"
    discrete = True

    levels: Annotated[int, Whole(LEVELS)] = Field(int(LEVELS.default), description="levels, k")

    def unit_coefficients(self, epsilon: Floats) -> dict[str, Floats]:
        x, k = np.exp(-epsilon), self.levels
        total, gap = 1 + (k - 1) * x, -np.expm1(-epsilon)
        # p − q of the draws keep the rounded level; the other k·q are dealt evenly over all levels
        return {"dealt": k * x / total, "one": total / np.maximum(x, 1e-30), "rest": total / gap}

    def unit_sample(self, v: Any, u: Any, k: Mapping[str, Any]) -> Any:
        last = self.levels - 1
        place = (v + 1) * (last / 2)
        below = np.clip(np.floor(place), None, last - 1)
        kept = below + ((u - k["dealt"]) * k["rest"] < place - below)
        dealt = np.clip(np.floor(u * k["one"]), None, last)
        level = where(u < k["dealt"], dealt, kept)
        return (level * (2 / last) - 1) * k["rest"]

    def unit_variance(self, v: Floats, epsilon: Floats) -> Floats:
        x, k, gap = np.exp(-epsilon), self.levels, -np.expm1(-epsilon)
        total, squares = 1 + (k - 1) * x, k * (k + 1) / (3 * (k - 1))
        step, below = self._cell(v)
        rounding = np.maximum((v - below) * (below + step - v), 0.0)
        return x * total / gap**2 * squares + rounding * total / gap + v**2 * (k * x / gap)

    def unit_worst_input(self, epsilon: Floats) -> Floats:
        # in the outermost cell the variance is a parabola that opens downwards
        step = 2 / (self.levels - 1)
        return np.clip(self._stretch(epsilon) * (1 - step / 2), 1 - step, 1)

    def unit_settled(self, y: Floats, epsilon: Floats, blur: Floats) -> Floats:
        last, stretch = self.levels - 1, self._stretch(epsilon)
        nearest = (np.clip(np.round((y / stretch + 1) * (last / 2)), 0, last) * (2 / last) - 1) * stretch
        return np.where(np.abs(y - nearest) <= blur, nearest, y)

    def unit_log_prob(self, y: Floats, v: Floats, epsilon: Floats) -> Floats:
        x, last = np.exp(-epsilon), self.levels - 1
        total, gap = 1 + last * x, -np.expm1(-epsilon)
        level = (y * gap / total + 1) * (last / 2)
        nearest = np.round(level)
        possible = near(level, nearest) & (nearest >= 0) & (nearest <= last)
        # how much of the rounding lands on the level: a hat that is 1 at it and 0 one level away
        hat = np.clip(1 - np.abs((v + 1) * (last / 2) - nearest), 0, 1)
        with np.errstate(divide="ignore"):
            return np.where(possible, np.log((x + gap * hat) / total), -np.inf)

    def unit_delta(self, target: Floats, epsilon: Floats) -> Floats:
        # a level's own probability against any other's: 1/(1+(k−1)x) against x of it
        return -np.expm1(target - epsilon) / (1 + (self.levels - 1) * np.exp(-epsilon))

    def unit_atoms(self, epsilon: float) -> Floats:
        return np.linspace(-1, 1, self.levels) * self._stretch(np.asarray(epsilon))

    def _stretch(self, epsilon: Floats) -> Floats:
        """1/(p − q), which removes the bias towards the centre."""
        return (1 + (self.levels - 1) * np.exp(-epsilon)) / -np.expm1(-epsilon)

    def _cell(self, v: Floats) -> tuple[float, Floats]:
        """Distance between levels, and the level below a value."""
        step = 2 / (self.levels - 1)
        return step, np.clip(np.floor((v + 1) / step), 0, self.levels - 2) * step - 1
