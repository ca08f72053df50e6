"""Clients' uploads: clipped, then perturbed slice by slice (one slice, or one per layer)."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.experiment import Piece
from ldp_core.mechanisms.base import Floating, Floats
from ldp_core.mechanisms.shared.law import Law
from ldp_core.systems import Encoded

Vectors = NDArray[np.float32]
Columns = tuple[Floats, Floats, Floats]
"""ε, low and high of some clients: (k, 1) each, or (k, m) if they differ between weights."""
TOGETHER = 2**18
"""Number of values that are clipped, or whose moments are computed, at a time."""


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


@dataclass(frozen=True)
class Uploads:
    """Uploads of some clients, with measurements that only a simulation can take."""

    values: Vectors
    """Perturbed uploads, (k, m)."""
    exact: Vectors
    """Clipped values without noise, (k, m)."""
    bias: Floats
    """Bias of the noise given the exact values, summed with the clients' weights, (m,); 0 if not computed."""
    variance: Floats
    outside: int
    """Number of sent values outside their safe range before clipping (0 if moments are not computed) …"""
    sent: int
    """… out of so many sent values."""


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
    """Clip and perturb the encoded values of k clients; values sent in clear or not at all get no noise.

    Noise is one stream drawn in client order; its moments are computed by the other threads meanwhile. The
    number of threads changes no bit.

    Args:
        epsilon: ε of each client, (k, 1).
        known: what the server uses for a value that is not sent, (m,) or (1,).
        shares: weights of the clients in the aggregate, (k,); None skips the noise's moments.
        whether: compute the moments of a few clients only, to tell whether there is any noise.
        laws: cache shared by the rounds of a run.
    """
    columns = epsilon, encoded.low, encoded.high
    found = (laws or Laws()).of(pieces, columns)
    exact = clip_uploads(pieces, encoded.values, columns)
    passed = [one for one in (encoded.clear, encoded.unsent) if one is not None]
    bias = variance = np.zeros(1)
    outside = asked = 0
    if shares is None:
        values = sent(pieces, exact, found, noise)
    else:
        apart = encoded.values != exact
        if encoded.unsent is not None:
            apart &= ~encoded.unsent
        outside = int(np.count_nonzero(apart))
        asked = exact.size - (0 if encoded.unsent is None else int(encoded.unsent.sum()))
        moments = UploadMoments(pieces, exact, found, passed, shares, whether)
        with moments.beside(threads):
            values = sent(pieces, exact, found, noise)
        bias, variance = moments.summed
    if encoded.unsent is not None:
        exact = np.where(encoded.unsent, known, exact)
    for one in passed:
        values = np.where(one, exact, values)
    return Uploads(values, exact, bias, variance, outside, asked)


def perturbed(
    pieces: Sequence[Piece],
    values: Floating,
    clients: Columns,
    noise: np.random.Generator,
    laws: Laws | None = None,
) -> Floating:
    """Uploads for `values` (k, m), clipped and then perturbed."""
    return sent(pieces, values, (laws or Laws()).of(pieces, clients), noise)


def sent(
    pieces: Sequence[Piece], values: Floating, laws: Sequence[Law[Any]], noise: np.random.Generator
) -> Floating:
    if len(pieces) == 1:
        return laws[0].perturb(values, noise)
    out = np.empty_like(values)
    for piece, law in zip(pieces, laws, strict=True):
        out[:, piece.columns] = law.perturb(values[:, piece.columns], noise)
    return out


def clip_uploads(pieces: Sequence[Piece], values: Floating, clients: Columns) -> Floating:
    """`values` (k, d) clipped to the mechanisms' regions."""
    out = np.empty_like(values)
    for rows in some_rows(values.shape):
        for piece in pieces:
            _, low, high = within(clients, piece, rows)
            out[rows, piece.columns] = piece.mechanism.clip(values[rows, piece.columns], low, high)
    return out


class UploadMoments:
    """Exact bias and variance of the uploads of `clipped` values, summed by the clients' shares, for a few
    clients at a time, so that their numbers stay in the CPU's cache.
    """

    def __init__(
        self,
        pieces: Sequence[Piece],
        clipped: Vectors,
        laws: Sequence[Law[Any]],
        passed: Sequence[NDArray[np.bool_]],
        shares: Floats,
        whether: bool,
    ) -> None:
        self._of, self._laws = (pieces, clipped, passed), laws
        self._shares, self._whether = shares, whether
        self._rows = [rows for rows in some_rows(clipped.shape) if shares[rows].any()]
        self._waiting = iter(self._rows)  # taking the next ones is a single step of the interpreter
        self.sums: dict[int, tuple[Floats, Floats]] = {}
        """Weighted sums (m,) of biases and variances, by the index of a chunk's first client."""

    @property
    def summed(self) -> tuple[Floats, Floats]:
        """Bias and variance of the aggregate, (m,), summed in the clients' order, whatever thread computed
        which.
        """
        sums = [self.sums[rows.start] for rows in self._rows if rows.start in self.sums]
        if len(sums) == 1:
            return sums[0]
        none = np.zeros(self._of[1].shape[1])
        return sum((one for one, _ in sums), none), sum((one for _, one in sums), none)

    @contextmanager
    def beside(self, threads: int) -> Iterator[None]:
        """Compute the moments in `threads` − 1 threads during the context's body, then in this one too."""
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
        pieces, clipped, passed = self._of
        while (rows := next(self._waiting, None)) is not None:
            part, shares = clipped[rows], self._shares[rows]
            heard = ~np.logical_or.reduce([one[rows] for one in passed]) if passed else None
            bias, variance = np.empty((2, part.shape[1]))
            for piece, law in zip(pieces, self._laws, strict=True):
                columns, values = piece.columns, part[:, piece.columns]
                if heard is None:
                    bias[columns], variance[columns] = law.summed(values, shares, rows)
                    continue
                mean, spread = law.some(rows).moments(values)
                bias[columns] = shares @ ((mean - values) * heard[:, columns])
                variance[columns] = shares**2 @ (spread * heard[:, columns])
            self.sums[rows.start] = bias, variance
            if self._whether and variance.any():
                self._waiting = iter(())


def some_rows(shape: tuple[int, ...]) -> list[slice]:
    step = max(1, TOGETHER // max(1, shape[1]))
    return [slice(first, first + step) for first in range(0, shape[0], step)]
