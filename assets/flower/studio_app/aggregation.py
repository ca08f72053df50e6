"""What the server does with uploads: weights from public facts, one weighted sum, the model's next step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ldp_core import aggregators

Array = np.ndarray


def weights(run: Mapping[str, Any], variances: Sequence[float], sizes: Sequence[float]) -> Array:
    """How much each upload counts; they sum to 1, or a lottery has drawn nobody.

    Args:
        run: whose aggregator weighs.
        variances: the worst-case variance of each client's noise, per weight.
        sizes: samples of each client.
    """
    return aggregators.get(**run["aggregator"]).weights(variances, sizes, generator=np.random.default_rng())


def step(current: Array, total: Array, target: str, hull: tuple[float, float] | None) -> Array:
    """The next model, from the weighted sum of uploads (d,).

    Args:
        current: the model that the clients began with, (d,).
        total: of their answers.
        target: "weights", or "update" for changes.
        hull: the smallest interval that holds all safe ranges, into which an aggregate of weights is brought
            back: as this reads nothing but answers, it costs no privacy. None to leave it as it is.
    """
    if target == "update":
        return current + total
    return total if hull is None else np.clip(total, *hull)
