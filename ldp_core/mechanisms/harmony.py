"""Harmony (Nguyên et al. 2016), Adaptive-Harmony of paper 004: one weight of each layer.

An index j is drawn uniformly from a layer's d weights. Weight j is perturbed by Duchi's mechanism and
multiplied by d, which makes it unbiased; all others are replaced by the centre of their range. The whole
layer costs one ε; an index and one bit are sent.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldp_core.errors import InvalidInput, shown
from ldp_core.limits import number
from ldp_core.mechanisms.base import Correction, Corrections, Scope, Sized, Use
from ldp_core.mechanisms.duchi import Duchi
from ldp_core.mechanisms.shared.blocks import checked
from ldp_core.mechanisms.shared.law import Floats, Law, as_floats
from ldp_core.mechanisms.shared.scale_free import UnitLaw, blur, normalised

DUCHI = Duchi()


class LayerLaw(Law["Harmony"]):
    @cached_property
    def _duchi(self) -> UnitLaw:
        return UnitLaw(DUCHI, self.epsilon, self.low, self.high)

    @cached_property
    def _centre(self) -> Floats:
        return (self.low + self.high) / 2

    @cached_property
    def _half(self) -> Floats:
        return (self.high - self.low) / 2

    @cached_property
    def _fill(self) -> Floats:
        return self._centre if self.mechanism.form == "corrected" else np.zeros_like(self._centre)

    def perturb(self, values: NDArray[Any], generator: np.random.Generator) -> NDArray[Any]:
        data = checked(values, generator, self.low, self.high, self.epsilon.shape)
        shape = data.shape
        d = self._size(shape)
        if not d:
            return np.empty_like(data)
        rows = int(np.prod(shape[:-1], dtype=np.int64))
        flat = data.reshape(rows, d)
        draws = generator.random((rows, 2))
        row, picked = np.arange(rows), np.minimum((draws[:, 0] * d).astype(np.int64), d - 1)
        own, coin = flat[row, picked], draws[:, 1]

        def table(parameter: Floats) -> Floats:
            return np.broadcast_to(parameter, shape).reshape(rows, d)

        low, high, budget = (table(p)[row, picked] for p in (self.low, self.high, self.epsilon))
        centre, half = (low + high) / 2, (high - low) / 2
        v = np.clip((own - centre) / half, -1, 1)
        slope = np.tanh(budget / 2)
        answer = centre + half * d / slope * np.where(2 * coin - 1 < v * slope, 1.0, -1.0)
        out = np.empty_like(flat)
        out[...] = table(self._fill)
        out[row, picked] = answer.astype(out.dtype)
        return out.reshape(shape)

    def moments(self, value: ArrayLike) -> tuple[Any, Any]:
        mean = self._duchi.mean(value) - (self._centre - self._fill) * (1 - 1 / self.mechanism.size)
        return mean[()], self._variance(normalised(value, self.low, self.high)[0])[()]

    @property
    def max_variance(self) -> Any:
        # a parabola in v whose top moves with what the others are filled with
        top = (self._centre - self._fill) / self._half * (1 - 1 / self.mechanism.size)
        return self._variance(np.clip(top, -1, 1))[()]

    def _variance(self, v: Floats) -> Floats:
        d, moved, half = self.mechanism.size, self._centre - self._fill, self._half
        filled = half**2 * (d / np.sinh(self.epsilon / 2) ** 2 + (d - 1) + (1 - v) * (1 + v))
        return filled + (moved**2 / d + 2 * moved * half * v) * (1 - 1 / d)

    def log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        each, filled = self._answered(output, value)
        shape = np.broadcast_shapes(each.shape, filled.shape, self.epsilon.shape)
        d = self._size(shape)
        answered = np.broadcast_to(~filled, shape)
        one = np.where(answered, np.broadcast_to(each, shape), 0.0).sum(axis=-1) - np.log(d)
        return np.where(answered.sum(axis=-1) == 1, one, -np.inf)[()]

    def marginal_log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        each, filled = self._answered(output, value)
        with np.errstate(divide="ignore"):
            others = np.log1p(-1 / self.mechanism.size)
        return np.where(filled, others, each - np.log(self.mechanism.size))[()]

    def _answered(self, output: ArrayLike, value: ArrayLike) -> tuple[Floats, Any]:
        """Duchi's law of each weight as if it were reported, and a mask of the weights that are not."""
        y, v = as_floats(output, "output"), normalised(value, self.low, self.high)[0]
        apart = np.maximum(1e-4, blur(output, self._centre, self._half))
        filled = np.abs(y - self._fill) / self._half <= apart
        at_own_scale = (y - self._centre) / (self._half * self.mechanism.size)
        return DUCHI.unit_log_prob(at_own_scale, v, self.epsilon), filled

    def log_affinity(self, value: ArrayLike, other: ArrayLike) -> Any:
        """Log affinity of a layer along the last axis: the index reveals nothing, the value is Duchi's."""
        return np.log(np.exp(self._duchi.log_affinity(value, other)).mean(axis=-1))[()]

    @property
    def loss(self) -> Any:
        return self._duchi.loss

    def delta(self, target: ArrayLike) -> Any:
        return self._duchi.delta(target)  # whichever weight it is, the law is Duchi's

    def atoms(self, value: float) -> Floats:
        filled = [float(self._fill)] * (self.mechanism.size > 1)
        return np.unique([*self._answers(), *filled])

    def outputs(self) -> Floats | None:
        d, answers = self.mechanism.size, self._answers()
        sent = np.full((d, len(answers), d), self._fill)
        each = np.arange(d)
        sent[each, :, each] = answers
        return sent.reshape(-1, d)

    def _answers(self) -> Floats:
        unit = DUCHI.unit_atoms(float(self.epsilon))
        return np.asarray(self._centre + self._half * self.mechanism.size * unit)

    def _size(self, shape: tuple[int, ...]) -> int:
        """Number of weights of a layer: the last axis."""
        known = self.mechanism.dimension
        if not shape:
            raise InvalidInput("harmony perturbs a layer of weights; got a single number")
        if known is not None and shape[-1] not in (0, known):
            raise InvalidInput(f"harmony must be given layers of {known} weights; got {shown(shape[-1])}")
        return shape[-1]


class Harmony(Sized):
    law = LayerLaw
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

    corrected = "Corrected, weights that are not drawn count as the middle of their range: no mean is moved."

    @property
    def scope(self) -> Scope:
        return "layer"

    def differences(self, value: float, epsilon: float, low: float, high: float, use: Use) -> Corrections:
        fitted, at = self.fitted(use), (epsilon, low, high)
        printed, true = (float(fitted.formed(form).mean(value, *at)) for form in self.forms[::-1])
        filled = "a weight that is not reported is filled with 0 instead of its range's centre"
        average = Correction(f"average answer for a weight of {number(value, 6)}", printed, true, filled)
        why = "the index of the weight has to be sent as well"
        bits = float(np.ceil(np.log2(fitted.size)) + 1)  # which weight it is, and which of two answers
        sent = Correction("bits sent for a layer", 1, bits, why)
        return (sent,) if printed == true else (average, sent)


class HarmonyAsPrinted(Harmony):
    form = "as_printed"
