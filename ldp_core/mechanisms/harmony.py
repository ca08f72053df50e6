"""Harmony (Nguyên et al. 2016), Adaptive-Harmony of paper 004: one weight of each layer.

An index j is drawn evenly from a layer's d weights. Weight j is answered by Duchi's mechanism,
stretched by d so that it is right on average; all others are answered with the centre of their
range. The whole layer costs one ε, and what is sent is an index and one bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ldp_core.errors import InvalidInput, shown
from ldp_core.fields import Checked, Whole
from ldp_core.limits import DIMENSION
from ldp_core.mechanisms.base import (
    Difference,
    Floats,
    Mechanism,
    Scope,
    Use,
    Values,
    as_floats,
    check_budget,
    check_range,
)
from ldp_core.mechanisms.duchi import Duchi
from ldp_core.mechanisms.shared.blocks import broadcast, checked
from ldp_core.mechanisms.shared.scale_free import blur, normalised

if TYPE_CHECKING:
    import torch

DUCHI = Duchi()
DIMENSION_FIELD = Checked(Whole(DIMENSION, optional=True).check)
"""Not a widget of its own: an experiment fills it in."""


class Harmony(Mechanism):
    """One coordinate a layer; exactly ε for the layer, however many weights it has."""

    label = "Harmony"
    order = 7
    summary = (
        "Reports a single random weight of each layer, by its place and one bit: a whole layer for one ε, "
        "and noise for each weight that grows with the layer and that no budget takes away."
    )
    formula = (
        r"\tilde w_j=c\pm d\,r\,\frac{e^\varepsilon+1}{e^\varepsilon-1}\ \text{ for one random }j,\qquad "
        r"\tilde w_k=c\ \text{ for all others}"
    )
    reference = "Nguyên et al. 2016; paper 004 (Optimal LDP-FL), algorithm 2"
    as_printed = (
        "As printed, the other weights are answered with 0 and not with the centre of their range, which "
        "moves every average answer by −c(1 − 1/d), with c that centre and d the weights of the layer."
    )

    known_from_use: ClassVar[tuple[str, ...]] = ("dimension",)

    dimension: Annotated[int | None, DIMENSION_FIELD] = None

    @property
    def scope(self) -> Scope:
        return "layer"

    def fitted(self, use: Use) -> Self:
        return self.model_copy(update={"dimension": use.dimension})

    def bits(self) -> float | None:
        return float(np.ceil(np.log2(self._d)) + 1)  # which weight it is, and which of two answers

    def perturb(
        self,
        values: Values,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        generator: np.random.Generator | torch.Generator,
    ) -> Values:
        lows, highs = check_range(low, high)
        budget = check_budget(epsilon)
        xp, data = checked(values, generator, lows, highs)
        shape = broadcast(tuple(data.shape), lows.shape, budget.shape)
        d = self._size(shape)
        if not d:
            return xp.empty_like(xp.broadcast_to(data, shape))
        rows = int(np.prod(shape[:-1], dtype=np.int64))
        flat = xp.broadcast_to(data, shape).reshape(rows, d)
        if bool(xp.isnan(flat).any()):
            raise InvalidInput("a value to perturb is not a number (NaN): training has diverged")
        if xp is np:
            draws: Any = generator.random((rows, 2))  # type: ignore[union-attr]
            picked = np.minimum((draws[:, 0] * d).astype(np.int64), d - 1)
        else:
            draws = xp.rand((rows, 2), generator=generator, dtype=xp.float64, device=data.device)
            picked = (draws[:, 0] * d).long().clamp(max=d - 1)
        row = np.arange(rows) if xp is np else xp.arange(rows, device=data.device)
        own, coin = flat[row, picked], draws[:, 1]

        def table(parameter: Floats) -> Any:
            full = np.broadcast_to(parameter, shape).reshape(rows, d)
            return full if xp is np else xp.as_tensor(np.array(full), device=data.device)

        low_, high_, budget_ = (table(p)[row, picked] for p in (lows, highs, budget))
        centre, half = (low_ + high_) / 2, (high_ - low_) / 2
        v = xp.clip((own - centre) / half, -1, 1)
        slope = xp.tanh(budget_ / 2)
        answer = centre + half * d / slope * xp.where(2 * coin - 1 < v * slope, 1.0, -1.0)
        out = xp.empty_like(flat)
        out[...] = table(self._fill((lows + highs) / 2))
        out[row, picked] = answer.astype(out.dtype) if xp is np else answer.to(out.dtype)
        return out.reshape(shape)

    def mean(self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        v, centre, half = normalised(value, low, high)
        exact = centre + half * v + np.zeros_like(check_budget(epsilon))
        return (exact - (centre - self._fill(centre)) * (1 - 1 / self._d))[()]

    def variance(self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        v, centre, half = normalised(value, low, high)
        return self._variance(v, centre, half, check_budget(epsilon))[()]

    def max_variance(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        lows, highs = check_range(low, high)
        centre, half = (lows + highs) / 2, (highs - lows) / 2
        # a parabola in v whose top moves with what the others are filled with
        worst = np.clip((centre - self._fill(centre)) / half * (1 - 1 / self._d), -1, 1)
        return self._variance(worst, centre, half, check_budget(epsilon))[()]

    def _variance(self, v: Floats, centre: Floats, half: Floats, epsilon: Floats) -> Floats:
        d, moved = self._d, centre - self._fill(centre)
        filled = half**2 * (d / np.sinh(epsilon / 2) ** 2 + (d - 1) + (1 - v) * (1 + v))
        found: Floats = filled + (moved**2 / d + 2 * moved * half * v) * (1 - 1 / d)
        return found

    def log_prob(
        self,
        output: ArrayLike,
        value: ArrayLike,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
    ) -> Any:
        v, centre, half = normalised(value, low, high)
        budget, y = check_budget(epsilon), as_floats(output, "output")
        shape = np.broadcast_shapes(y.shape, v.shape, budget.shape)
        d = self._size(shape)
        fill = self._fill(centre)
        answered = np.broadcast_to(~_filled(output, fill, centre, half), shape)
        # Duchi's law at the one weight that is answered, seen at its own scale
        each = np.broadcast_to(DUCHI.unit_log_prob((y - centre) / (half * d), v, budget), shape)
        one = np.where(answered, each, 0.0).sum(axis=-1) - np.log(d)
        return np.where(answered.sum(axis=-1) == 1, one, -np.inf)[()]

    def marginal_log_prob(
        self,
        output: ArrayLike,
        value: ArrayLike,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
    ) -> Any:
        v, centre, half = normalised(value, low, high)
        y = as_floats(output, "output")
        fill = self._fill(centre)
        answered = DUCHI.unit_log_prob((y - centre) / (half * self._d), v, check_budget(epsilon))
        with np.errstate(divide="ignore"):
            others = np.log1p(-1 / self._d)
        filled = _filled(output, fill, centre, half)
        return np.where(filled, others, answered - np.log(self._d))[()]

    def log_affinity(
        self, value: ArrayLike, other: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike
    ) -> Any:
        """Of a whole layer, along the last axis: which weight is answered says nothing, what is answered is
        Duchi's."""
        each = np.exp(DUCHI.log_affinity(value, other, epsilon, low, high))
        return np.log(each.mean(axis=-1))[()]

    def privacy_loss(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        return DUCHI.privacy_loss(epsilon, low, high)

    def delta(self, target: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        return DUCHI.delta(target, epsilon, low, high)  # whichever weight it is, the law is Duchi's

    def atoms(self, value: float, epsilon: float, low: float, high: float) -> Floats:
        centre, half = (low + high) / 2, (high - low) / 2
        fill = float(self._fill(np.asarray(centre)))
        return np.unique([*(centre + half * self._d * DUCHI.unit_atoms(epsilon)), *([fill] * (self._d > 1))])

    def outputs(self, epsilon: float, low: float, high: float) -> Floats | None:
        centre, half = (low + high) / 2, (high - low) / 2
        answers = centre + half * self._d * DUCHI.unit_atoms(epsilon)
        sent = np.full((self._d, len(answers), self._d), self._fill(np.asarray(centre)))
        each = np.arange(self._d)
        sent[each, :, each] = answers
        return sent.reshape(-1, self._d)

    def edges(self, value: float, epsilon: float, low: float, high: float) -> Floats:
        return np.empty(0)

    def differences(
        self, value: float, epsilon: float, low: float, high: float, use: Use
    ) -> tuple[Difference, ...]:
        fitted = self.fitted(use)
        printed, corrected = (
            float(fitted.formed(form).mean(value, epsilon, low, high)) for form in self.forms[::-1]
        )
        average = Difference(
            f"average answer for a weight of {value:g}",
            printed,
            corrected,
            "a weight that is not reported is filled with 0 instead of its range's centre",
        )
        return (
            *((average,) if printed != corrected else ()),
            Difference(
                "bits sent for a layer",
                1,
                float(np.ceil(np.log2(use.dimension)) + 1),
                "the index of the weight has to be sent as well",
            ),
        )

    def _fill(self, centre: Floats) -> Floats:
        """What a weight that is not reported is answered with."""
        return centre

    @property
    def _d(self) -> int:
        if self.dimension is None:
            raise InvalidInput("harmony must know how many weights a layer has; give it as dimension=…")
        return self.dimension

    def _size(self, shape: tuple[int, ...]) -> int:
        """Values in a layer: the last axis."""
        if not shape:
            raise InvalidInput("harmony perturbs a layer of weights; got a single number")
        if self.dimension is not None and shape[-1] not in (0, self.dimension):
            raise InvalidInput(
                f"harmony must be given layers of {self.dimension} weights; got {shown(shape[-1])}"
            )
        return shape[-1]


def _filled(output: ArrayLike, fill: Floats, centre: Floats, half: Floats) -> Any:
    """True for a weight that was not reported."""
    return np.abs(as_floats(output, "output") - fill) / half <= np.maximum(1e-4, blur(output, centre, half))


class HarmonyAsPrinted(Harmony):
    """Fills with 0 instead of the range's centre."""

    form = "as_printed"

    def _fill(self, centre: Floats) -> Floats:
        return np.zeros_like(centre)
