"""The contract of an aggregator: weights from public facts, then one weighted sum."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ldp_core.component import Component
from ldp_core.errors import InvalidInput
from ldp_core.mechanisms.base import Floats, Values, as_floats


class Aggregator(Component):
    """Turns uploads of shape (K, d) into one aggregate of shape (d,)."""

    def weights(
        self,
        variances: ArrayLike,
        sizes: ArrayLike | None = None,
        between: float = 0.0,
        generator: np.random.Generator | None = None,
    ) -> Floats:
        """The weight of each of K uploads; non-negative, summing to 1.

        Args:
            variances: the worst-case variance of each client's noise per weight, shape (K,), ≥ 0.
                Worst-case, because the true one depends on the client's data.
            sizes: how many samples each client trains on, shape (K,).
            between: the variance between clients' true weights, ≥ 0, in the same units.
            generator: for aggregators that draw their weights.

        Raises:
            InvalidInput: no client, or a variance that is negative or not finite.
        """
        noise = as_floats(variances, "variances")
        if noise.ndim != 1 or noise.size == 0:
            raise InvalidInput(f"variances must be a list of at least one number; got shape {noise.shape}")
        if not (np.isfinite(noise).all() and (noise >= 0).all()):
            raise InvalidInput("variances must be finite and not negative")
        counts = np.ones_like(noise) if sizes is None else as_floats(sizes, "sizes")
        raw = self.raw_weights(noise, counts, between, generator)
        return raw / raw.sum()

    @abstractmethod
    def raw_weights(
        self, variances: Floats, sizes: Floats, between: float, generator: np.random.Generator | None
    ) -> Floats:
        """The weights up to a factor, shape (K,)."""

    def aggregate(self, uploads: Values, weights: ArrayLike) -> Values:
        """The weighted sum of uploads (K, d) → (d,), in their own kind and precision."""
        w: Any = np.asarray(weights, dtype=np.float64)
        if isinstance(uploads, np.ndarray):
            return w.astype(uploads.dtype) @ uploads
        import torch

        return torch.as_tensor(w, dtype=uploads.dtype, device=uploads.device) @ uploads


def power_of_inverse(variances: Floats, power: float) -> Floats:
    """variances^−power; clients without noise, if there are any, share the whole weight."""
    exact = variances == 0
    if exact.any():
        return exact.astype(np.float64)
    return (variances.min() / variances) ** power
