"""Columns of figures in four bytes a value, where a list takes forty; the stored record keeps all digits."""

import math
from array import array
from collections.abc import Iterator
from typing import overload

import numpy as np

from ldp_core.mechanisms.base import Floats


class Column:
    """One value a round, NaN where missing; what is read is a copy: another thread may append meanwhile."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = array("f")

    def append(self, value: float | None) -> None:
        figure = math.nan if value is None else float(value)
        if math.isfinite(figure) and figure != 0 and not 1e-37 < abs(figure) < 1e38:
            self._held = array("d", self._held)
        self._held.append(figure)

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[float]:
        return iter(self._held.tolist())

    @overload
    def __getitem__(self, at: int) -> float: ...
    @overload
    def __getitem__(self, at: slice) -> Floats: ...
    def __getitem__(self, at: int | slice) -> float | Floats:
        return np.array(self._held[at], dtype=np.float64) if isinstance(at, slice) else self._held[at]
