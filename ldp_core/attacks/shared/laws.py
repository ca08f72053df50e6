"""Likelihoods of uploads given the values they may have been made of, by the mechanisms' laws."""

from collections.abc import Iterator

import numpy as np

from ldp_core.attacks.observation import Observation
from ldp_core.mechanisms.base import Floats, as_floats

BLOCK = 2**20
"""Number of values evaluated at a time, to bound memory."""

ROUNDING = 1e-6
"""Difference, relative to the largest weight, below which two float32 weights are equal."""


def log_likelihood(seen: Observation, values: Floats) -> Floats:
    """Log-likelihood (V, M) of each victim's uploads for M noise-free vectors (V, M, d), without unsent
    weights; without noise, the negative squared distance; for weights partly in clear, the number of equal
    ones.
    """
    if seen.clear:
        return _exactly(seen, values)
    total = np.zeros(values.shape[:2])
    for victims in blocks(len(values), values[0].size):
        part = seen.of(victims)
        for number, upload in enumerate(part.uploads):
            for where, mechanism in part.parts:
                sent, value = upload[:, None, where], values[victims][..., where]
                budget = _budget(part, where)
                if part.shortened_by is not None:
                    value = as_floats(part.shortened_by.clip(value, *budget[1:]), "value")
                if mechanism.role == "identity":
                    inside = value if part.shortened_by is not None else np.clip(value, *budget[1:])
                    each = -((sent - inside) ** 2)
                else:
                    law = mechanism.at(*budget)
                    each = (law.log_prob if part.unsent is None else law.marginal_log_prob)(sent, value)
                if part.unsent is not None:
                    each = np.where(part.unsent[number][:, None, where], 0.0, each)
                total[victims] += each.sum(axis=-1) if each.ndim == 3 else each
    return total


def _exactly(seen: Observation, values: Floats) -> Floats:
    """Number of each victim's weights that equal those of M vectors (V, M, d), where these differ."""
    total = np.zeros(values.shape[:2])
    for victims in blocks(len(values), values[0].size):
        part = seen.of(victims)
        sent = np.array(values[victims])
        for where, mechanism in part.parts:
            sent[..., where] = mechanism.clip(sent[..., where], *_budget(part, where)[1:])
        apart = ROUNDING * np.abs(sent).max()
        moved = np.abs(sent - seen.base).max(axis=1, keepdims=True) > 10 * apart
        for upload in part.uploads:
            total[victims] += ((np.abs(upload[:, None] - sent) <= apart) & moved).sum(axis=-1)
    return total


def log_affinity(seen: Observation, values: Floats) -> Floats | None:
    """Log Bhattacharyya coefficient (V, M) between the laws of vectors 0 and m of (V, M, d), over all T
    uploads, as if all weights had been sent; None for mechanisms without a closed form.
    """
    total = np.zeros(values.shape[:2])
    for victims in blocks(len(values), values[0].size):
        own = seen.of(victims)
        for where, mechanism in seen.parts:
            part, budget = values[victims][..., where], _budget(own, where)
            if seen.shortened_by is not None:
                part = as_floats(seen.shortened_by.clip(part, *budget[1:]), "value")
            each = mechanism.at(*budget).log_affinity(part[:, :1], part)
            if each is None:
                return None
            total[victims] += each.sum(axis=-1) if each.ndim == 3 else each  # one of each weight, or of all
    return total * seen.rounds


def _budget(seen: Observation, where: slice) -> tuple[Floats, Floats, Floats]:
    """ε, low and high for a slice of the uploads, each (V, 1, 1), or (V, 1, weights) where they differ."""
    low, high = (
        end[:, None, None] if end.ndim == 1 else end[:, None, where] for end in (seen.low, seen.high)
    )
    return seen.epsilon[:, None, None], low, high


def blocks(count: int, size: int, most: int = BLOCK) -> Iterator[slice]:
    """Slices over `count` items of `size` numbers each, with about `most` numbers a slice."""
    step = max(1, most // max(1, size))
    for start in range(0, count, step):
        yield slice(start, start + step)
