"""Columns of figures in four bytes a value, where a list takes forty.

Seven digits are more than any page shows; the stored record keeps all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import overload

import numpy as np

from ldp_core.mechanisms.base import Floats

GROWTH = 1.25


class Column:
    """One value a round, NaN where missing.

    Arrays read from a column never change, so one thread may append while others read.
    """

    __slots__ = ("_length", "_room")

    def __init__(self) -> None:
        self._room = np.empty(16, dtype=np.float32)
        self._length = 0

    def append(self, value: float | None) -> None:
        """Append a value; None as NaN."""
        figure = math.nan if value is None else float(value)
        held = self._room.dtype
        kind = np.dtype(np.float64) if _needs_eight_bytes(figure) else held
        full = self._length == len(self._room)
        if full or kind != held:
            # a new array: readers of the old one keep it
            room = np.empty(int(GROWTH * len(self._room)) + 1 if full else len(self._room), dtype=kind)
            room[: self._length] = self._room[: self._length]
            self._room = room
        self._room[self._length] = figure
        self._length += 1

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[float]:
        return iter(self[:].tolist())

    @overload
    def __getitem__(self, at: int) -> float: ...
    @overload
    def __getitem__(self, at: slice) -> Floats: ...
    def __getitem__(self, at: int | slice) -> float | Floats:
        held = self._room[: self._length]
        return held[at].astype(np.float64) if isinstance(at, slice) else float(held[at])


def _needs_eight_bytes(figure: float) -> bool:
    return math.isfinite(figure) and figure != 0 and not 1e-37 < abs(figure) < 1e38
