"""No noise: the clipped value itself. The baseline that every comparison needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ldp_core.errors import InvalidInput
from ldp_core.mechanisms.base import Floats, InClear, Mechanism, Values, as_floats, check_range
from ldp_core.mechanisms.shared.blocks import broadcast, checked

if TYPE_CHECKING:
    import torch


class NoNoise(Mechanism):
    """Sends the clipped value. Budgets are ignored, so any will do."""

    label = "No noise"
    role = "identity"
    order = 1
    summary = "Sends the clipped value itself: nothing is hidden, whatever budget was asked for."
    formula = r"\tilde w = \operatorname{clip}(w, a, b)"
    reference = "Federated averaging (McMahan et al. 2017) with clipping"

    def in_clear(self) -> tuple[InClear, ...]:
        return (InClear("the clipped weights themselves", "every upload", "there is no mechanism"),)

    def perturb(
        self,
        values: Values,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        generator: np.random.Generator | torch.Generator,
    ) -> Values:
        lows, highs = check_range(low, high)
        xp, data = checked(values, generator, lows, highs)
        shape = broadcast(tuple(data.shape), lows.shape, as_floats(epsilon, "epsilon").shape)
        data = xp.broadcast_to(data, shape)
        if bool(xp.isnan(data).any()):
            raise InvalidInput("a value to perturb is not a number (NaN): training has diverged")
        if xp is np:
            ends = [end.astype(data.dtype) for end in (lows, highs)]
        else:
            ends = [xp.as_tensor(end, dtype=data.dtype, device=data.device) for end in (lows, highs)]
        return xp.clip(data, *ends)

    def mean(self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        lows, highs = check_range(low, high)
        clipped = np.clip(as_floats(value, "value"), lows, highs)
        return (clipped + np.zeros_like(as_floats(epsilon, "epsilon")))[()]

    def variance(self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        return np.zeros_like(self.mean(value, epsilon, low, high))[()]

    def max_variance(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        lows, _ = check_range(low, high)
        return (np.zeros_like(lows) + np.zeros_like(as_floats(epsilon, "epsilon")))[()]

    def log_prob(
        self,
        output: ArrayLike,
        value: ArrayLike,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
    ) -> Any:
        sent = self.mean(value, epsilon, low, high)
        same = np.isclose(as_floats(output, "output"), sent, rtol=1e-6, atol=1e-9)
        return np.where(same, 0.0, -np.inf)[()]

    def privacy_loss(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        return (self.max_variance(epsilon, low, high) + np.inf)[()]

    def delta(self, target: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        unbounded = self.privacy_loss(epsilon, low, high)
        return np.where(as_floats(target, "target") < unbounded, 1.0, 0.0)[()]

    def atoms(self, value: float, epsilon: float, low: float, high: float) -> Floats:
        return np.atleast_1d(self.mean(value, epsilon, low, high))

    def edges(self, value: float, epsilon: float, low: float, high: float) -> Floats:
        return np.empty(0)
