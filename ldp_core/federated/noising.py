"""Noise of a round as a value, so that a driver can add that of several runs in one call.

Chunks of one shape are perturbed as one matrix, where the law allows it: each row depends on its own values,
budget, range and draws only, so the bits are those of each run alone. Runs of one seed have the same draws,
which are drawn once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.experiment import Piece
from ldp_core.federated.upload import Columns, Laws, Uploads, Vectors, clip_uploads, sent, uploaded
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.blocks import BLOCK
from ldp_core.streams import Substitute
from ldp_core.systems import Encoded

NONE = np.zeros(1)


@dataclass(frozen=True)
class Noising:
    """Values of a chunk of clients before clipping and noise; the attributes are arguments of `uploaded`."""

    pieces: Sequence[Piece]
    encoded: Encoded
    terms: Columns
    known: Vectors
    noise: Callable[[], np.random.Generator]
    shares: Floats | None
    threads: int
    whether: bool
    laws: Laws
    stream: Hashable = None
    """Seed and round, if `noise` begins their stream anew; else None."""
    losses: Floats | None = None
    """Losses of the clients after training on their own samples, (k,); None if not measured."""

    def alone(self) -> Noised:
        others = self.shares, self.threads, self.whether, self.laws
        return self, uploaded(self.pieces, self.encoded, self.terms[0], self.known, self.noise(), *others)

    @property
    def shape(self) -> Hashable:
        """Equal for chunks that can be perturbed as one; None for one that must be perturbed alone."""
        encoded, values = self.encoded, self.encoded.values
        apart = self.shares is not None or encoded.clear is not None or encoded.unsent is not None
        if apart or self.stream is None or values.shape[1] > BLOCK:
            return None
        if not all(piece.mechanism.law.by_value for piece in self.pieces):
            return None
        if any(column.shape[1] > 1 for column in (encoded.low, encoded.high)):
            return None
        return values.shape, tuple((one.columns.start, one.mechanism) for one in self.pieces)


Noised = tuple[Noising, Uploads]


class JointNoising:
    """Adds noise to chunks of several runs, round after round; caches the laws of those that it joins."""

    def __init__(self) -> None:
        self._laws: dict[Hashable, Laws] = {}

    def noised(self, chunks: Sequence[Noising]) -> list[Noised]:
        groups: dict[Hashable, list[int]] = {}
        for place, one in enumerate(chunks):
            groups.setdefault(one.shape or place, []).append(place)
        found: dict[int, Noised] = {}
        for shape, places in groups.items():
            if len(places) == 1:
                found[places[0]] = chunks[places[0]].alone()
            else:
                found |= zip(places, self._as_one(shape, [chunks[i] for i in places]), strict=True)
        self._laws = {shape: laws for shape, laws in self._laws.items() if shape in groups}
        return [found[i] for i in range(len(chunks))]

    def _as_one(self, shape: Hashable, chunks: Sequence[Noising]) -> Iterable[Noised]:
        parts = zip(*((one.terms[0], one.encoded.low, one.encoded.high) for one in chunks), strict=True)
        epsilon, low, high = (np.concatenate(part) for part in parts)
        columns, pieces, count = (epsilon, low, high), chunks[0].pieces, len(chunks[0].encoded.values)
        laws = self._laws.setdefault(shape, Laws()).of(pieces, columns)
        exact = clip_uploads(pieces, np.concatenate([one.encoded.values for one in chunks]), columns)
        values = sent(
            pieces, exact, laws, Draws([one.noise for one in chunks], count, [one.stream for one in chunks])
        )
        for first, one in zip(range(0, len(values), count), chunks, strict=True):
            rows = slice(first, first + count)
            yield one, Uploads(values[rows], exact[rows], NONE, NONE, 0, 0)


class Draws(Substitute):
    """Generator of the draws for chunks of `rows` rows each, one after another, each from the stream that its
    `noise` begins; chunks of one stream share its draws.
    """

    def __init__(
        self,
        noise: Sequence[Callable[[], np.random.Generator]],
        rows: int,
        streams: Sequence[Hashable] | None = None,
    ) -> None:
        self._of, self._rows, self._row = streams or range(len(noise)), rows, 0
        self._streams = {stream: begin() for stream, begin in zip(self._of, noise, strict=True)}
        super().__init__()
        self._drawn: dict[Hashable, NDArray[Any]] = {}

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        return self._next("random", size, dtype)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        return self._next("standard_normal", size, dtype)

    def _next(self, law: str, size: tuple[int, int], dtype: Any) -> NDArray[Any]:
        height, width = size
        found, filled = np.empty(size, dtype), 0
        while filled < height:
            place, first = divmod(self._row, self._rows)
            stream, count = self._of[place], min(self._rows - first, height - filled)
            if stream not in self._drawn:
                self._drawn[stream] = getattr(self._streams[stream], law)((self._rows, width), dtype)
            found[filled : filled + count] = self._drawn[stream][first : first + count]
            self._row, filled = self._row + count, filled + count
        if self._row == self._rows * len(self._of):  # what follows is another slice of the uploads
            self._row, self._drawn = 0, {}
        return found
