"""R-PSS (paper 002): selection of the weights that are perturbed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.mechanisms.base import Floating, Floats
from ldp_core.systems.base import Encoded, Indices, Participation, Public, Vectors

NEAR_ZERO = 1e-6
"""The paper's z: smaller weights are never perturbed."""


class RPSS(Participation):
    """Selects the perturbed weights; the server's model is the one just sent to the clients."""

    def __init__(
        self, public: Public, arrays: dict[str, NDArray[Any]] | None, rest: str, chance: float
    ) -> None:
        super().__init__(public, arrays)
        self._rest, self._chance = rest, chance
        self._model: Vectors = np.zeros(public.dimension, dtype=np.float32)

    def begin(self, model: Vectors, clients: Indices) -> Vectors | None:
        self._model = model
        return None

    def encode(
        self, values: Vectors, low: Floats, high: Floats, clients: Indices, generator: np.random.Generator
    ) -> Encoded:
        if self._rest == "noised":
            return Encoded(values, low, high)
        if self._rest == "kept":
            known = np.broadcast_to(self._model[self.public.sent], values.shape)
            return Encoded(values, low, high, unsent=~chosen(known, self._chance, generator))
        clear = ~chosen(values, self._chance, generator) | (np.abs(values) < NEAR_ZERO)
        return Encoded(values, low, high, clear=clear)


def chosen(weights: Floating, chance: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Mask (k, m): the larger half of a row's weights, and each other with the given probability."""
    m = weights.shape[1]
    found: NDArray[np.bool_] = generator.random(weights.shape) < chance
    larger = np.argpartition(np.abs(weights), m // 2, axis=1)[:, m // 2 :]
    np.put_along_axis(found, larger, True, axis=1)
    return found
