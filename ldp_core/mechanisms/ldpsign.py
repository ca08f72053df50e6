"""ldpsign (paper 001, for non-IID data): the sign of the noisy value, one bit per weight.

The paper sets σ as if the noisy value were released. The release is a bit that is +1 with probability Φ(w/σ),
which has pure ε; the ledger counts that.
"""

from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field
from scipy.special import erf, log_ndtr, ndtr

from ldp_core.fields import Number
from ldp_core.limits import DELTA, SENSITIVITY
from ldp_core.mechanisms.base import Correction, Corrections, Mechanism, Use
from ldp_core.mechanisms.shared.blocks import Blocks
from ldp_core.mechanisms.shared.gaussian_noise import classical
from ldp_core.mechanisms.shared.law import Floats, Law, as_floats
from ldp_core.mechanisms.shared.scale_free import two_atoms


class SignLaw(Law["LDPSign"]):
    """+1 with probability Φ(w/σ), else −1."""

    by_value = True

    @cached_property
    def sigma(self) -> Floats:
        """Standard deviation of the noise before the sign is taken."""
        stated, width = self.mechanism.sensitivity, self.high - self.low
        sensitivity = width if stated is None else np.full_like(width, stated)
        return sensitivity * classical(self.epsilon, self.mechanism.delta_)

    def perturb(self, values: NDArray[Any], generator: np.random.Generator) -> NDArray[Any]:
        return self._blocks.perturb(_sign, values, generator, normal=True, placed=False)

    @cached_property
    def _blocks(self) -> Blocks:
        half, centre = (self.high - self.low) / 2, (self.high + self.low) / 2
        # the sign of centre + half·v + σz, all of it in σ
        coefficients = {"gain": half / self.sigma, "offset": centre / self.sigma, "one": np.ones(())}
        return Blocks(coefficients, self.low, self.high)

    def moments(self, value: ArrayLike) -> tuple[Any, Any]:
        z = self._z(value)
        return erf(z / np.sqrt(2))[()], (4 * ndtr(z) * ndtr(-z))[()]

    @property
    def max_variance(self) -> Any:
        return self.variance(np.clip(0.0, self.low, self.high))

    @property
    def weighing_variance(self) -> Any:
        return (self.sigma**2)[()]

    def log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        z, y = self._z(value), as_floats(output, "output")
        return two_atoms(y, np.ones_like(z), -np.ones_like(z), log_ndtr(z), log_ndtr(-z))[()]

    def log_affinity(self, value: ArrayLike, other: ArrayLike) -> Any:
        v, w = self._z(value), self._z(other)
        both = [(log_ndtr(s * v) + log_ndtr(s * w)) / 2 for s in (1, -1)]
        return np.minimum(np.logaddexp(*both), 0.0)[()]

    @property
    def loss(self) -> Any:
        top, bottom = self._z(self.high), self._z(self.low)
        return np.maximum(log_ndtr(top) - log_ndtr(bottom), log_ndtr(-bottom) - log_ndtr(-top))[()]

    @property
    def ledger_loss(self) -> Any:
        """Exact loss; in the as-printed form the nominal ε."""
        corrected = self.mechanism.form == "corrected"
        return self.loss if corrected else (self.epsilon + np.zeros_like(self.loss))[()]

    def delta(self, target: ArrayLike) -> Any:
        top, bottom, goal = self._z(self.high), self._z(self.low), as_floats(target, "target")
        # P − e^t·Q, as P·(1 − e^{t − loss}) so that it stays exact near the loss
        plus = -ndtr(top) * np.expm1(np.minimum(goal - log_ndtr(top) + log_ndtr(bottom), 0))
        minus = -ndtr(-bottom) * np.expm1(np.minimum(goal - log_ndtr(-bottom) + log_ndtr(-top), 0))
        return np.maximum(plus, minus)[()]

    def atoms(self, value: float) -> Floats:
        return np.array([-1.0, 1.0])

    def _z(self, value: ArrayLike) -> Floats:
        """Clipped value divided by σ."""
        return np.asarray(np.clip(as_floats(value, "value"), self.low, self.high) / self.sigma)


class LDPSign(Mechanism):
    law = SignLaw
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

    corrected = "Corrected, the ledger counts the loss of that bit; what is sent is the same."

    delta_: Annotated[float, Number(DELTA)] = Field(DELTA.default, alias="delta", description="nominal δ")
    sensitivity: Annotated[float | None, Number(SENSITIVITY, optional=True)] = Field(
        None, description="sensitivity Δ₂, if not that of the safe range"
    )

    def differences(self, value: float, epsilon: float, low: float, high: float, use: Use) -> Corrections:
        exact = float(self.privacy_loss(epsilon, low, high))
        return (
            Correction("ε of one weight", epsilon, exact, "a bit has a pure loss of its own, without any δ"),
            Correction(
                f"ε of an upload of {use.dimension} weights",
                epsilon,
                use.dimension * exact,
                "the paper's sensitivity is that of one weight, and every weight sends a bit",
            ),
        )


class LDPSignAsPrinted(LDPSign):
    """The same law; the ledger uses the nominal ε."""

    form = "as_printed"


def _sign(v: Any, z: Any, k: Any) -> Any:
    v *= k["gain"]  # in place: the block is ours, and writing to new memory is what takes the time
    v += k["offset"]
    v += z
    return np.copysign(k["one"], v, out=v)
