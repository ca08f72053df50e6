"""The Piecewise Mechanism (Wang et al. 2019), used by PD-LDPFL (paper 003).

On [−1, 1], with s = e^{ε/2} and C = (s+1)/(s−1): the output lies in [−C, C]. With probability s/(s+1) it
falls uniformly in a window of width C−1 that moves with the value, from l to l + C−1, where l = ((C+1)v −
(C−1))/2; otherwise uniformly in the rest. Below, q = e^{−ε/2}.

As paper 003 prints it, the scale is the upload's own largest weight t. Some weights may be below −t: their
window begins below −C, where no weight in [−t, t] has outputs, so such an output reveals the weight, whatever
ε is. And t itself is private data, revealed by the range of the outputs. If no weight is positive the paper
divides by zero or flips signs; here max |θ| is used.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldp_core.mechanisms.base import Correction, Corrections, InClear, Mechanism, Use
from ldp_core.mechanisms.shared.blocks import Blocks, checked, where
from ldp_core.mechanisms.shared.law import Floats, as_floats
from ldp_core.mechanisms.shared.scale_free import ScaleFree, UnitLaw, blur


class WindowLaw(UnitLaw):
    def likelihood(self, output: ArrayLike) -> Callable[[ArrayLike], Any]:
        unit = cast("Piecewise", self.mechanism)
        centre, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        y = (as_floats(output, "output") - centre) / half
        likely, seldom = (one - np.log(half) for one in unit.densities(self.epsilon))
        if (np.abs(y) > 1 / np.tanh(self.epsilon / 4)).any():
            y = unit.unit_settled(y, self.epsilon, blur(output, centre, half))
            likely, seldom = (unit.possible(y, self.epsilon, one) for one in (likely, seldom))
        first, last = unit.window(y, self.epsilon)
        # values beyond an end of the range count as the end
        low = where(first <= -1, np.array(-np.inf), centre + half * first)
        high = where(last >= 1, np.array(np.inf), centre + half * last)

        def law(value: ArrayLike) -> Any:
            x = as_floats(value, "value")
            within = x >= low
            within &= x <= high
            return where(within, likely, seldom)[()]

        return law


class Piecewise(ScaleFree):
    law: ClassVar[type[UnitLaw]] = WindowLaw
    label = "Piecewise"
    order = 5
    summary = (
        "Answers anywhere in a wider range, more often than not in a window that holds the true weight: the "
        "larger the budget, the narrower the window and the closer the answer."
    )
    formula = (
        r"\Pr\big[\tilde w\in[l,\,l+C-1]\big]=\frac{e^{\varepsilon/2}}{e^{\varepsilon/2}+1},\quad "
        r"C=\frac{e^{\varepsilon/2}+1}{e^{\varepsilon/2}-1},\quad l=\tfrac{C+1}{2}v-\tfrac{C-1}{2}"
    )
    reference = "Wang et al. 2019, algorithm 2; paper 003 (PD-LDPFL)"
    as_printed = (
        "As printed in paper 003, the scale is the largest weight of the upload itself: the ends of what is "
        "sent then tell it, and no ε holds."
    )

    corrected = "Corrected, the scale is the safe range, which is public: the promised ε begins to hold."
    quadratic = True

    def unit_coefficients(self, epsilon: Floats) -> dict[str, Floats]:
        q, gap = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
        return {"q": q, "gap": gap, "p_outside": q / (1 + q), "bound": (1 + q) / gap}

    def unit_sample(self, v: Any, u: Any, k: Mapping[str, Any]) -> Any:
        q, gap, p_outside = k["q"], k["gap"], k["p_outside"]
        window = 2 * q / gap  # C − 1, without the difference
        left = v - q
        left /= gap
        inside = u - p_outside  # what is written over stays in the processor's cache
        inside *= window
        inside *= 1 + q
        inside += left
        # u < p_outside: the same draw, stretched over the 2C − (C−1) = C+1 outside the window
        outside = u * (2 * (1 + q) / (gap * np.clip(q, 1e-30, None)))
        outside -= k["bound"]
        outside = where(outside < left, outside, outside + window)
        return where(u < p_outside, outside, inside)

    def unit_variance(self, v: Floats, epsilon: Floats) -> Floats:
        q, gap = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
        return q / gap * v**2 + q * (1 + 3 * q) / (3 * gap**2)

    def unit_worst_input(self, epsilon: Floats) -> Floats:
        return np.ones_like(epsilon)

    def unit_settled(self, y: Floats, epsilon: Floats, blur: Floats) -> Floats:
        bound = 1 / np.tanh(epsilon / 4)
        return np.where(np.abs(y) <= bound + blur, np.clip(y, -bound, bound), y)

    def unit_log_prob(self, y: Floats, v: Floats, epsilon: Floats) -> Floats:
        first, last = self.window(y, epsilon)
        return self.possible(y, epsilon, where((v >= first) & (v <= last), *self.densities(epsilon)))

    def window(self, y: Floats, epsilon: Floats) -> tuple[Floats, Floats]:
        """First and last v whose window holds an output."""
        q, gap = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
        last = y * gap
        first = last - q
        last = last + q
        return np.minimum(first, 1.0), np.maximum(last, -1.0)  # as float32 may round past the end

    def densities(self, epsilon: Floats) -> tuple[Floats, Floats]:
        """Log-density inside and outside the window."""
        inside = epsilon / 2 + np.log(np.tanh(epsilon / 4) / 2)
        return inside, inside - epsilon

    def possible(self, y: Floats, epsilon: Floats, log_density: Floats) -> Floats:
        return np.where(np.abs(y) <= 1 / np.tanh(epsilon / 4) * (1 + 1e-6), log_density, -np.inf)

    def unit_delta(self, target: Floats, epsilon: Floats) -> Floats:
        # two disjoint windows: probability 1/(1+q) against e^−ε of it
        return -np.expm1(target - epsilon) / (1 + np.exp(-epsilon / 2))

    def unit_affinity(self, v: Floats, w: Floats, epsilon: Floats) -> Floats | None:
        # outside the window the density is e^−ε of that inside, and inside is 1/(1+q) of the probability:
        # where one window does not cover the other, √(p·p′) is the geometric mean of the two
        q, gap = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
        uncovered = np.minimum(np.abs(v - w) / (2 * q), 1.0)
        return 1 - uncovered * gap**2 / (1 + q)

    def unit_edges(self, v: float, epsilon: float) -> Floats:
        q, gap = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
        left, bound = (v - q) / gap, (1 + q) / gap
        return np.array([-bound, left, left + 2 * q / gap, bound])

    def differences(self, value: float, epsilon: float, low: float, high: float, use: Use) -> Corrections:
        others, revealed = use.dimension - 1, "the scale is private data, and what is sent reveals it"
        between, delta = "an upload and one with a scale", _distinguishing_delta(epsilon, others)
        at_zero = f"at any ε, if the other {others} weights lie at 0"
        return (
            Correction("ε of one weight", epsilon, np.inf, revealed),
            Correction(f"δ between {between} a tenth smaller", 0.0, delta, at_zero),
        )


class OwnScaleLaw(UnitLaw):
    """Law whose scale is the upload's largest weight, so that it depends on the whole upload."""

    def perturb(self, values: NDArray[Any], generator: np.random.Generator) -> NDArray[Any]:
        unit, lows, highs = self.mechanism, self.low, self.high
        coefficients = unit.unit_coefficients(self.epsilon)
        data = checked(values, generator, lows, highs, *(c.shape for c in coefficients.values()))
        if not data.size:
            return super().perturb(values, generator)
        v, scale = _own_scale(data if data.ndim else data[None], lows, highs)
        reach = max(1.0, float(v.max()), -float(v.min()))

        def sample(w: Any, u: Any, k: Mapping[str, Any]) -> Any:
            w = w * reach  # the blocks deal in [−1, 1]
            usual, below = unit.unit_sample(np.clip(w, -1, 1), u, k), w < -1
            return where(below, _sample_below(w, u, k), usual) if bool(below.any()) else usual

        ratios = v.astype(data.dtype).reshape(data.shape)
        out = Blocks(coefficients, np.array(-reach), np.array(reach)).perturb(sample, ratios, generator)
        out /= reach
        out *= (scale[..., :1] if data.ndim else scale[0]).astype(ratios.dtype)
        return out

    def moments(self, value: ArrayLike) -> tuple[Any, Any]:
        v, scale = _own_scale(value, self.low, self.high)
        variance = np.array(self.mechanism.unit_variance(np.clip(v, -1, 1), self.epsilon))
        mean = np.array(np.broadcast_to(v, variance.shape))
        below = mean < -1
        budgets = np.broadcast_to(self.epsilon, mean.shape)
        mean[below], variance[below] = _moments_below(mean[below], budgets[below])
        return (scale * mean)[()], (scale**2 * variance)[()]

    @property
    def max_variance(self) -> Any:
        # at either end of the range, for the scale that the range's upper end gives
        ends = [self._at_end(end) for end in (self.low, self.high)]
        # an upload without a positive weight takes its largest size for the scale
        at_scale = self.mechanism.unit_variance(np.ones_like(self.epsilon), self.epsilon)
        return np.maximum(np.maximum(*ends), np.minimum(self.low, 0.0) ** 2 * at_scale)[()]

    def _at_end(self, end: Floats) -> Any:
        scale = np.where(self.high > 0, self.high, np.maximum(np.abs(self.low), np.abs(self.high)))
        v = end / scale
        usual = self.mechanism.unit_variance(np.clip(v, -1, 1), self.epsilon)
        return scale**2 * np.where(v < -1, _moments_below(v, self.epsilon)[1], usual)

    def log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        v, scale = _own_scale(value, self.low, self.high)
        y = as_floats(output, "output") / scale
        usual = self.mechanism.unit_log_prob(y, np.clip(v, -1, 1), self.epsilon)
        outside = _log_density_below(y, np.minimum(v, -1), self.epsilon)
        return (np.where(v < -1, outside, usual) - np.log(scale))[()]

    def likelihood(self, output: ArrayLike) -> Callable[[ArrayLike], Any]:
        # where an output lies depends on the value's own scale
        return lambda value: self.log_prob(output, value)

    def log_affinity(self, value: ArrayLike, other: ArrayLike) -> Any:
        return None

    @property
    def loss(self) -> Any:
        return (super().loss + np.inf)[()]

    def delta(self, target: ArrayLike) -> Any:
        return np.ones_like(super().delta(target))[()]

    def edges(self, value: float) -> Floats:
        v, scale = (float(x) for x in _own_scale(value, self.low, self.high))
        found = self.mechanism.unit_edges(v, float(self.epsilon))
        return scale * found[slice(None) if v >= -1 else slice(1, None)]


class PiecewiseAsPrinted(Piecewise):
    law = OwnScaleLaw
    form = "as_printed"

    def read_off(self, uploads: NDArray[Any], epsilon: Floats) -> tuple[Mechanism, Floats, Floats]:
        """Scale from the largest output: of k uniform values on [−Ct, Ct] on average k/(k + 1) of the end."""
        k = self.unit_coefficients(epsilon)
        outside = uploads[:, 0].size * k["p_outside"]
        scale = np.abs(uploads).max(axis=(0, 2)) / k["bound"] * (1 + 1 / (1 + outside))
        return self.formed("corrected"), -scale, scale

    def in_clear(self) -> tuple[InClear, ...]:
        what = "the largest weight of each upload", "the ends of what is sent"
        return (InClear(*what, "the scale is taken from the data"),)


def _own_scale(value: ArrayLike, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """v = θ/t and the scale t, over the last axis of the clipped values.

    A scalar stands for a weight of an upload whose largest weight is at the range's upper end.
    """
    theta = np.clip(as_floats(value, "value"), low, high)
    upload = theta if np.ndim(value) else np.stack(np.broadcast_arrays(high, theta), axis=-1)
    top = upload.max(axis=-1, keepdims=True)
    size = np.maximum(np.abs(upload).max(axis=-1, keepdims=True), 1e-300)
    scale = np.where(top > 0, top, size)
    if not np.ndim(value):
        scale = scale[..., 0]
    return theta / scale, np.broadcast_to(scale, theta.shape)


def _moments_below(v: Floats, epsilon: Floats) -> tuple[Floats, Floats]:
    """Mean and variance for v below −1, where the window has left [−C, C] on one side."""
    q, gap = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
    bound, window = (1 + q) / gap, 2 * q / gap
    left = (v - q) / gap
    right, share = left + window, 1 / (1 + q)
    inside, outside = left + window / 2, (right + bound) / 2
    mean = share * inside + (1 - share) * outside
    spread = share * window**2 / 12 + (1 - share) * (bound - right) ** 2 / 12
    return mean, spread + share * (1 - share) * (inside - outside) ** 2


def _sample_below(v: Any, u: Any, k: Any) -> Any:
    """Outputs for v below −1: the window as usual, otherwise uniform from its right end to C."""
    window = 2 * k["q"] / k["gap"]
    right = (v - k["q"]) / k["gap"] + window
    inside = right - window * (1 - (u - k["p_outside"]) * (1 + k["q"]))
    outside = right + (k["bound"] - right) * u / np.clip(k["p_outside"], 1e-30, None)
    return where(u < k["p_outside"], outside, inside)


def _log_density_below(y: Floats, v: Floats, epsilon: Floats) -> Floats:
    """Log density for v below −1."""
    q, gap = np.exp(-epsilon / 2), -np.expm1(-epsilon / 2)
    bound, window = (1 + q) / gap, 2 * q / gap
    left = (v - q) / gap
    right = left + window
    inside = -np.log1p(q) - np.log(window)
    outside = np.log(q) - np.log1p(q) - np.log(bound - right)
    blur = 1e-6 * (1 + np.abs(left))  # float32 may round past the end
    result = np.where((y >= left - blur) & (y <= right), inside, outside)
    return np.where((y >= left - blur) & (y <= bound + blur), result, -np.inf)


def _distinguishing_delta(epsilon: float, d: int) -> float:
    """Lower bound on δ, at any ε, between an upload with scale t and one with 0.9 t.

    Both have d weights at 0; an output beyond 0.9·C·t comes from the larger scale only.
    """
    q = np.exp(-epsilon / 2)
    bound = (1 + q) / (1 - q)
    once = q / (1 + q) * 0.2 * bound / (bound + 1)
    return float(-np.expm1(d * np.log1p(-once)))
