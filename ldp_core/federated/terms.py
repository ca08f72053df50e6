"""Mechanisms and variances of uploads per round, cached where they are the same in every round."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.experiment import Experiment
from ldp_core.experiment.schema import Piece
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.law import Law
from ldp_core.theory.clients import worst_variance

Columns = tuple[Floats, Floats, Floats]
"""ε, low and high of some clients: (k, 1) each, or (k, m) if they differ between weights."""


class Terms:
    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._known: dict[int, tuple[tuple[Piece, ...], Floats]] = {}
        self._shares: tuple[int, bytes, Floats] | None = None
        self.laws = Laws()

    def pieces(self, number: int) -> tuple[Piece, ...]:
        """Slices of an upload that are perturbed separately in round `number`."""
        return self._of(number)[0]

    def worst(self, number: int) -> Floats:
        """Each client's worst-case noise variance in round `number`, (K,), for aggregation weights."""
        return self._of(number)[1]

    def shares(self, number: int, chosen: NDArray[np.int64], make: Callable[[], Floats]) -> Floats:
        """Cached result of `make`, which depends on the variances of round `number` and `chosen` alone."""
        key = self._kind(number), chosen.tobytes()
        if self._shares is None or self._shares[:2] != key:
            self._shares = *key, make()
        return self._shares[2]

    def _kind(self, number: int) -> int:
        return number if len(self._experiment.releases) > 1 else 1

    def _of(self, number: int) -> tuple[tuple[Piece, ...], Floats]:
        kind = self._kind(number)
        if kind not in self._known:
            self._known.clear()  # rounds come in order
            self._known[kind] = self._experiment.pieces(kind), worst_variance(self._experiment, kind)
        return self._known[kind]


class Laws:
    """Cache of the mechanisms' laws at the budgets and ranges of some clients; only the latest are kept."""

    def __init__(self) -> None:
        self._last: tuple[Sequence[Piece], Columns, list[Law[Any]]] | None = None

    def of(self, pieces: Sequence[Piece], clients: Columns) -> list[Law[Any]]:
        if self._last and self._last[0] == pieces and all(map(np.array_equal, self._last[1], clients)):
            return self._last[2]
        found = [piece.mechanism.at(*within(clients, piece)) for piece in pieces]
        if all(column.shape[1] == 1 for column in clients):  # others fill as much memory as the uploads
            self._last = pieces, clients, found
        return found


def within(clients: Columns, piece: Piece, rows: slice = slice(None)) -> Columns:
    """Columns (ε, low, high) of a slice of the upload: per-weight ones are cut, per-client ones stay."""
    epsilon, low, high = (
        column[rows, piece.columns] if column.shape[1] > 1 else column[rows] for column in clients
    )
    return epsilon, low, high
