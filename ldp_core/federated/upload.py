"""What clients upload: clipped, then perturbed piece by piece (one piece, or one a layer)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldp_core.experiment.schema import Piece
from ldp_core.mechanisms.base import Floats
from ldp_core.systems import Encoded

Vectors = NDArray[np.float32]
Columns = tuple[Floats, Floats, Floats]
"""Budget, low and high of some clients, (k, 1) each, or (k, m) where each weight has its own."""
TOGETHER = 2**17
"""Numbers whose moments are computed at a time."""


@dataclass(frozen=True)
class Uploads:
    """What the server gets of some clients, and what is known of it here alone."""

    values: Vectors
    """(k, m)"""
    exact: Vectors
    """The same, clipped and without noise."""
    bias: Floats
    """Of the noise, given the exact values, (k, m)."""
    variance: Floats
    outside: int
    """How many of the values that are sent lay outside their safe range …"""
    sent: int
    """… of how many."""


def uploaded(
    pieces: Sequence[Piece], encoded: Encoded, epsilon: Floats, known: Vectors, noise: np.random.Generator
) -> Uploads:
    """Clip and perturb what some clients have encoded; what goes in clear, or not at all, has no noise.

    Args:
        pieces: who perturbs what.
        encoded: of k clients.
        epsilon: their budgets, (k, 1).
        known: what the server takes for a value that is not sent, (m,) or (1,).
        noise: the stream for the purpose "noise" of the round.
    """
    columns = epsilon, encoded.low, encoded.high
    exact = projected(pieces, encoded.values, columns)
    outside = encoded.values != exact
    values = perturbed(pieces, exact, columns, noise)
    bias, variance = moments(pieces, exact, columns)
    if encoded.unsent is not None:
        exact = np.where(encoded.unsent, known, exact)
        outside &= ~encoded.unsent
    for passed in (encoded.clear, encoded.unsent):
        if passed is not None:
            values = np.where(passed, exact, values)
            bias[passed] = variance[passed] = 0.0
    sent = exact.size - (0 if encoded.unsent is None else int(encoded.unsent.sum()))
    return Uploads(values, exact, bias, variance, int(outside.sum()), sent)


def perturbed(
    pieces: Sequence[Piece], values: Vectors, clients: Columns, noise: np.random.Generator
) -> Vectors:
    """What the clients send for `values` (k, m), which are clipped first."""
    if len(pieces) == 1:
        return pieces[0].mechanism.perturb(values, *clients, noise)
    out = np.empty_like(values)
    for piece in pieces:
        out[:, piece.columns] = piece.mechanism.perturb(
            values[:, piece.columns], *_within(clients, piece), noise
        )
    return out


def projected(pieces: Sequence[Piece], values: Vectors, clients: Columns) -> Vectors:
    """What `values` (k, d) are brought to before they are perturbed."""
    if len(pieces) == 1:
        return pieces[0].mechanism.project(values, *clients[1:])
    out = np.empty_like(values)
    for piece in pieces:
        ends = _within(clients, piece)[1:]
        out[:, piece.columns] = piece.mechanism.project(values[:, piece.columns], *ends)
    return out


def moments(pieces: Sequence[Piece], clipped: Vectors, clients: Columns) -> tuple[Floats, Floats]:
    """The exact bias and variance of what is sent for `clipped` values, each (k, m).

    A few clients at a time, whose numbers stay in the processor's cache: formulas go over them often.
    """
    bias, variance = np.empty(clipped.shape), np.empty(clipped.shape)
    step = max(1, TOGETHER // clipped.shape[1])
    for start in range(0, len(clipped), step):
        rows = slice(start, start + step)
        for piece in pieces:
            epsilon, low, high = (column[rows] for column in clients)
            columns = _within((epsilon, low, high), piece)
            values = clipped[rows, piece.columns]
            bias[rows, piece.columns] = piece.mechanism.mean(values, *columns) - values
            variance[rows, piece.columns] = piece.mechanism.variance(values, *columns)
    return bias, variance


def _within(clients: Columns, piece: Piece) -> Columns:
    """Of what each weight has its own, the piece's weights'; what a client has is every piece's."""
    epsilon, low, high = (column[:, piece.columns] if column.shape[1] > 1 else column for column in clients)
    return epsilon, low, high
