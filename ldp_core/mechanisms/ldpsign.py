"""ldpsign (paper 001, for non-IID data): the sign of the noisy value, one bit a weight.

The paper sets σ as if Gaussian noise were released. What is released is a coin that shows +1 with
probability Φ(w/σ): it has a pure loss, and that is what the ledger counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field
from scipy.special import erf, log_ndtr, ndtr

from ldp_core.fields import Number
from ldp_core.limits import DELTA, SENSITIVITY
from ldp_core.mechanisms.base import (
    Difference,
    Floats,
    Mechanism,
    Use,
    Values,
    as_floats,
    check_budget,
    check_range,
)
from ldp_core.mechanisms.shared.blocks import perturb_blocks
from ldp_core.mechanisms.shared.gaussian_noise import classical
from ldp_core.mechanisms.shared.scale_free import two_atoms

if TYPE_CHECKING:
    import torch


class LDPSign(Mechanism):
    """Two outcomes, +1 and −1; biased, for votes and not for averages."""

    label = "ldpsign"
    role = "vote"
    order = 11
    summary = "Sends only the sign of the noisy weight, +1 or −1: made for majority votes, not for averages."
    formula = (
        r"\Pr[\tilde w=+1]=\Phi\!\big(\tfrac w\sigma\big),\quad "
        r"\sigma=\frac{\Delta\sqrt{2\ln(1.25/\delta)}}{\varepsilon},\quad "
        r"\varepsilon_1=\ln\frac{\Phi(c/\sigma)}{\Phi(-c/\sigma)}"
    )
    reference = "Paper 001 (Personalized LDP-FL), eq. 6 and 7; Jin et al. 2020"
    as_printed = (
        "As printed, the ledger counts the nominal ε for each weight; the bit that is sent has a loss of its "
        "own, which the corrected form counts."
    )

    delta_: Annotated[float, Number(DELTA)] = Field(DELTA.default, alias="delta", description="nominal δ")
    sensitivity: Annotated[float | None, Number(SENSITIVITY, optional=True)] = Field(
        None, description="sensitivity Δ₂, if not that of the safe range"
    )

    def sigma(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        """The standard deviation of the noise whose sign is sent."""
        lows, highs = check_range(low, high)
        sensitivity = highs - lows if self.sensitivity is None else np.full_like(lows, self.sensitivity)
        return sensitivity * classical(check_budget(epsilon), self.delta_)

    def perturb(
        self,
        values: Values,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        generator: np.random.Generator | torch.Generator,
    ) -> Values:
        lows, highs = check_range(low, high)
        half, centre = (highs - lows) / 2, (highs + lows) / 2
        sigma = self.sigma(epsilon, lows, highs)
        # the sign of centre + half·v + σz, all of it in σ
        coefficients = {"gain": half / sigma, "offset": centre / sigma, "one": np.ones(())}
        return perturb_blocks(_sign, coefficients, values, lows, highs, generator, normal=True, placed=False)

    def mean(self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        z = self._z(value, epsilon, low, high)
        return erf(z / np.sqrt(2))[()]

    def variance(self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        z = self._z(value, epsilon, low, high)
        return (4 * ndtr(z) * ndtr(-z))[()]

    def moments(
        self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike
    ) -> tuple[Any, Any]:
        z = self._z(value, epsilon, low, high)
        return erf(z / np.sqrt(2))[()], (4 * ndtr(z) * ndtr(-z))[()]

    def max_variance(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        lows, highs = check_range(low, high)
        return self.variance(np.clip(0.0, lows, highs), epsilon, lows, highs)

    def weighing_variance(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        return self.sigma(epsilon, low, high) ** 2

    def log_prob(
        self,
        output: ArrayLike,
        value: ArrayLike,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
    ) -> Any:
        z = self._z(value, epsilon, low, high)
        y = as_floats(output, "output")
        return two_atoms(y, np.ones_like(z), -np.ones_like(z), log_ndtr(z), log_ndtr(-z))[()]

    def log_affinity(
        self, value: ArrayLike, other: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike
    ) -> Any:
        v, w = (self._z(x, epsilon, low, high) for x in (value, other))
        both = [(log_ndtr(s * v) + log_ndtr(s * w)) / 2 for s in (1, -1)]
        return np.minimum(np.logaddexp(*both), 0.0)[()]

    def privacy_loss(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        top, bottom = self._z(high, epsilon, low, high), self._z(low, epsilon, low, high)
        plus = log_ndtr(top) - log_ndtr(bottom)
        return np.maximum(plus, log_ndtr(-bottom) - log_ndtr(-top))[()]

    def delta(self, target: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        top, bottom = self._z(high, epsilon, low, high), self._z(low, epsilon, low, high)
        goal = as_floats(target, "target")
        # P − e^t·Q, as P·(1 − e^{t − loss}) so that it stays exact near the loss
        plus = -ndtr(top) * np.expm1(np.minimum(goal - log_ndtr(top) + log_ndtr(bottom), 0))
        minus = -ndtr(-bottom) * np.expm1(np.minimum(goal - log_ndtr(-bottom) + log_ndtr(-top), 0))
        return np.maximum(plus, minus)[()]

    def atoms(self, value: float, epsilon: float, low: float, high: float) -> Floats:
        return np.array([-1.0, 1.0])

    def edges(self, value: float, epsilon: float, low: float, high: float) -> Floats:
        return np.empty(0)

    def differences(
        self, value: float, epsilon: float, low: float, high: float, use: Use
    ) -> tuple[Difference, ...]:
        exact = float(self.privacy_loss(epsilon, low, high))
        return (
            Difference("ε of one weight", epsilon, exact, "a bit has a pure loss of its own, without any δ"),
            Difference(
                f"ε of an upload of {use.dimension} weights",
                epsilon,
                use.dimension * exact,
                "the paper's sensitivity is that of one weight, and every weight sends a bit",
            ),
        )

    def _z(self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Floats:
        """The clipped value over σ."""
        lows, highs = check_range(low, high)
        sigma = self.sigma(epsilon, lows, highs)
        return np.asarray(np.clip(as_floats(value, "value"), lows, highs) / sigma)


class LDPSignAsPrinted(LDPSign):
    """The same law; the ledger believes the nominal ε."""

    form = "as_printed"

    def ledger_loss(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        return (check_budget(epsilon) + np.zeros_like(self.privacy_loss(epsilon, low, high)))[()]


def _sign(xp: Any, v: Any, z: Any, k: Any) -> Any:
    v *= k["gain"]  # in place: the block is ours, and writing to new memory is what takes the time
    v += k["offset"]
    v += z
    return xp.copysign(k["one"], v, out=v)
