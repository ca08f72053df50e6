"""A mechanism at given budgets and ranges: whoever uploads round after round has them checked once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    import torch

    from ldp_core.mechanisms.base import Mechanism, Values


class Law:
    """`perturb` and `moments` of a mechanism, bit for bit; this plain one asks the mechanism each time.

    It may keep what follows from budgets and ranges, which must stay as they are, but nothing of values.
    """

    def __init__(self, mechanism: Mechanism, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> None:
        self._mechanism, self._given = mechanism, (epsilon, low, high)

    def perturb(self, values: Values, generator: np.random.Generator | torch.Generator) -> Values:
        """As `Mechanism.perturb`."""
        return self._mechanism.perturb(values, *self._given, generator)

    def moments(self, value: ArrayLike) -> tuple[Any, Any]:
        """As `Mechanism.moments`."""
        return self._mechanism.moments(value, *self._given)
