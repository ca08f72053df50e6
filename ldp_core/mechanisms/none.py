"""No noise: the clipped value, as the baseline of comparisons."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldp_core.mechanisms.base import InClear, Mechanism
from ldp_core.mechanisms.shared.blocks import checked
from ldp_core.mechanisms.shared.law import Floating, Floats, Law, as_floats, check_range


class Clipped(Law["NoNoise"]):
    by_value = True

    def perturb(self, values: NDArray[Any], generator: np.random.Generator) -> NDArray[Any]:
        data = checked(values, generator, self.low, self.high, self.epsilon.shape)
        return np.clip(data, self.low.astype(data.dtype), self.high.astype(data.dtype))

    def moments(self, value: ArrayLike) -> tuple[Any, Any]:
        mean = np.clip(as_floats(value, "value"), self.low, self.high) + np.zeros_like(self.epsilon)
        return mean[()], np.zeros_like(mean)[()]

    def summed(self, values: Floating, shares: Floats, rows: slice = slice(None)) -> tuple[Floats, Floats]:
        return np.zeros(values.shape[1]), np.zeros(values.shape[1])

    @property
    def max_variance(self) -> Any:
        return (np.zeros_like(self.low) + np.zeros_like(self.epsilon))[()]

    def log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        same = np.isclose(as_floats(output, "output"), self.mean(value), rtol=1e-6, atol=1e-9)
        return np.where(same, 0.0, -np.inf)[()]

    @property
    def loss(self) -> Any:
        return (self.max_variance + np.inf)[()]

    def delta(self, target: ArrayLike) -> Any:
        return np.where(as_floats(target, "target") < self.loss, 1.0, 0.0)[()]

    def atoms(self, value: float) -> Floats:
        return np.atleast_1d(self.mean(value))


class NoNoise(Mechanism):
    law = Clipped
    label = "No noise"
    role = "identity"
    order = 1
    summary = "Sends the clipped value itself: nothing is hidden, whatever budget was asked for."
    formula = r"\tilde w = \operatorname{clip}(w, a, b)"
    reference = "Federated averaging (McMahan et al. 2017) with clipping"

    def in_clear(self) -> tuple[InClear, ...]:
        return (InClear("the clipped weights themselves", "every upload", "there is no mechanism"),)

    def checked(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> tuple[Floats, Floats, Floats]:
        return as_floats(epsilon, "epsilon"), *check_range(low, high)
