"""What the server does with uploads: weights from public facts, one weighted sum, the model's next step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

AGGREGATORS = ("mean", "data_weighted", "inverse_std", "inverse_variance")
Array = np.ndarray


def weights(name: str, variances: Sequence[float], sizes: Sequence[float], between: float = 0.0) -> Array:
    """How much each upload counts; they sum to 1.

    Args:
        name: one of AGGREGATORS.
        variances: the worst-case variance of each client's noise, per weight.
        sizes: samples of each client, for `data_weighted`.
        between: the variance between clients' true weights that is allowed for.
    """
    noise = np.asarray(variances, dtype=np.float64) + between
    if name == "data_weighted":
        raw = np.asarray(sizes, dtype=np.float64)
    elif name == "mean":
        raw = np.ones_like(noise)
    elif name in AGGREGATORS:
        power = 0.5 if name == "inverse_std" else 1.0
        exact = noise == 0  # clients without noise, if there are any, share all the weight
        raw = exact.astype(np.float64) if exact.any() else (noise.min() / noise) ** power
    else:
        raise ValueError(f"there is no aggregator {name!r} here; there are {', '.join(AGGREGATORS)}")
    return raw / raw.sum()


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
