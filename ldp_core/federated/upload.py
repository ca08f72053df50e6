"""Perturbing whole uploads, piece by piece: one piece, or one a layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldp_core.experiment.schema import Piece
from ldp_core.mechanisms.base import Floats

Vectors = NDArray[np.float32]
Columns = tuple[Floats, Floats, Floats]
"""Budget, low and high of some clients, (k, 1) each."""


def perturbed(
    pieces: Sequence[Piece], values: Vectors, clients: Columns, noise: np.random.Generator
) -> Vectors:
    """What the clients send for `values` (k, d), which are clipped first."""
    if len(pieces) == 1:
        return pieces[0].mechanism.perturb(values, *clients, noise)
    out = np.empty_like(values)
    for piece in pieces:
        out[:, piece.columns] = piece.mechanism.perturb(values[:, piece.columns], *clients, noise)
    return out


def moments(pieces: Sequence[Piece], clipped: Vectors, clients: Columns) -> tuple[Floats, Floats]:
    """The exact bias and variance of what is sent for `clipped` values, each (k, d)."""
    means, variances = np.empty(clipped.shape), np.empty(clipped.shape)
    for piece in pieces:
        means[:, piece.columns] = piece.mechanism.mean(clipped[:, piece.columns], *clients)
        variances[:, piece.columns] = piece.mechanism.variance(clipped[:, piece.columns], *clients)
    return means - clipped, variances
