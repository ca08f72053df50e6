"""What clients upload: clipped, then perturbed piece by piece (one piece, or one a layer)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.experiment.schema import Piece
from ldp_core.federated.terms import Columns, Laws, within
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.law import Law
from ldp_core.systems import Encoded

Vectors = NDArray[np.float32]
TOGETHER = 2**17
"""Numbers that are clipped, or whose moments are computed, at a time."""


@dataclass(frozen=True)
class Uploads:
    """Uploads of some clients, and what only this simulation knows of them."""

    values: Vectors
    """(k, m)"""
    exact: Vectors
    """The same, clipped and without noise."""
    bias: Floats
    """Of the noise, given the exact values, summed by shares, (m,); a single 0 where it was not asked for."""
    variance: Floats
    outside: int
    """How many of the values that are sent lay outside their safe range …"""
    sent: int
    """… of how many."""


def uploaded(
    pieces: Sequence[Piece],
    encoded: Encoded,
    epsilon: Floats,
    known: Vectors,
    noise: np.random.Generator,
    shares: Floats | None = None,
    threads: int = 1,
    whether: bool = False,
    laws: Laws | None = None,
) -> Uploads:
    """Clip and perturb what some clients have encoded; what goes in clear, or not at all, has no noise.

    The noise is one stream that is drawn in the clients' order; its moments, which need none of it, are
    computed beside it by the other threads. So threads change the time and no bit.

    Args:
        pieces: who perturbs what.
        encoded: of k clients.
        epsilon: their budgets, (k, 1).
        known: what the server takes for a value that is not sent, (m,) or (1,).
        noise: the stream for the purpose "noise" of the round.
        shares: the clients' weights in the aggregate, (k,); None: the noise's moments are not asked for.
        threads: at most.
        whether: of the moments only this is asked, whether there is any noise: some clients' are enough.
        laws: of the run, where it has more rounds like this one.
    """
    columns = epsilon, encoded.low, encoded.high
    found = (laws or Laws()).of(pieces, columns)
    exact = projected(pieces, encoded.values, columns)
    outside = encoded.values != exact
    passed = [one for one in (encoded.clear, encoded.unsent) if one is not None]
    bias = variance = np.zeros(1)
    if shares is None:
        values = _sent(pieces, exact, found, noise)
    else:
        moments = Moments(pieces, exact, columns, passed, shares, whether, found)
        with moments.beside(threads):
            values = _sent(pieces, exact, found, noise)
        bias, variance = shares @ moments.bias, shares**2 @ moments.variance
    if encoded.unsent is not None:
        exact = np.where(encoded.unsent, known, exact)
        outside &= ~encoded.unsent
    for one in passed:
        values = np.where(one, exact, values)
    sent = exact.size - (0 if encoded.unsent is None else int(encoded.unsent.sum()))
    return Uploads(values, exact, bias, variance, int(outside.sum()), sent)


def perturbed(
    pieces: Sequence[Piece], values: Vectors, clients: Columns, noise: np.random.Generator
) -> Vectors:
    """Uploads for `values` (k, m), clipped and then perturbed."""
    return _sent(pieces, values, Laws().of(pieces, clients), noise)


def _sent(
    pieces: Sequence[Piece], values: Vectors, laws: Sequence[Law[Any]], noise: np.random.Generator
) -> Vectors:
    if len(pieces) == 1:
        return laws[0].perturb(values, noise)
    out = np.empty_like(values)
    for piece, law in zip(pieces, laws, strict=True):
        out[:, piece.columns] = law.perturb(values[:, piece.columns], noise)
    return out


def projected(pieces: Sequence[Piece], values: Vectors, clients: Columns) -> Vectors:
    """Clip `values` (k, d) as the mechanisms' region demands."""
    out = np.empty_like(values)
    for rows in _some_rows(values.shape):
        for piece in pieces:
            _, low, high = within(clients, piece, rows)
            out[rows, piece.columns] = piece.mechanism.project(values[rows, piece.columns], low, high)
    return out


class Moments:
    """The exact bias and variance of what is sent for `clipped` values, each (k, m).

    A few clients at a time, whose numbers stay in the processor's cache: formulas go over them often. Of
    clients without a share in the aggregate it is zero.
    """

    def __init__(
        self,
        pieces: Sequence[Piece],
        clipped: Vectors,
        clients: Columns,
        passed: Sequence[NDArray[np.bool_]],
        shares: Floats,
        whether: bool,
        laws: Sequence[Law[Any]] | None = None,
    ) -> None:
        self._of = pieces, clipped, clients, passed
        self._shares, self._whether = shares, whether
        self._rows = [rows for rows in _some_rows(clipped.shape) if shares[rows].any()]
        whole = len(clipped) <= _rows_at_once(clipped.shape)
        self._laws = laws if whole else None  # of all clients: they are those of the only rows
        self._waiting = iter(self._rows)  # taking the next ones is a single step of the interpreter
        self.bias, self.variance = np.zeros(clipped.shape), np.zeros(clipped.shape)

    @contextmanager
    def beside(self, threads: int) -> Iterator[None]:
        """Compute beside the caller, with `threads` − 1 threads, then with the caller's too."""
        others = min(threads, len(self._rows)) - 1
        if others < 1:
            yield
            self._compute()
            return
        with ThreadPoolExecutor(others) as pool:
            going = [pool.submit(self._compute) for _ in range(others)]
            yield
            self._compute()
            for one in going:
                one.result()

    def _compute(self) -> None:
        pieces, clipped, clients, passed = self._of
        while (rows := next(self._waiting, None)) is not None:
            for i, piece in enumerate(pieces):
                values = clipped[rows, piece.columns]
                own = self._laws[i] if self._laws else piece.mechanism.at(*within(clients, piece, rows))
                mean, variance = own.moments(values)
                self.bias[rows, piece.columns] = mean - values
                self.variance[rows, piece.columns] = variance
            for one in passed:
                self.bias[rows][one[rows]] = self.variance[rows][one[rows]] = 0.0
            if self._whether and (self._shares[rows] @ self.variance[rows]).any():
                self._waiting = iter(())


def _some_rows(shape: tuple[int, ...]) -> list[slice]:
    """A few clients at a time, of (k, m) values."""
    step = _rows_at_once(shape)
    return [slice(first, first + step) for first in range(0, shape[0], step)]


def _rows_at_once(shape: tuple[int, ...]) -> int:
    return max(1, TOGETHER // max(1, shape[1]))
