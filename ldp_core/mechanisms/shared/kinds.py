"""Groups of clients that are equal, of whom sixty thousand are often of one kind."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def alike(*columns: NDArray[Any]) -> NDArray[np.int64]:
    """(K,): each client's group, from 0, of clients with equal values in all columns, (K,) each."""
    found = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        if (column != column[0]).any():
            own = np.unique(column, return_inverse=True)[1]
            found = np.unique(found * (own.max() + 1) + own, return_inverse=True)[1]
    return found


def kinds(*columns: NDArray[Any]) -> tuple[list[tuple[float, ...]], NDArray[np.int64]]:
    """Values of each group of `alike`, and each client's group, (K,)."""
    places = alike(*columns)
    first = np.empty(places.max() + 1, dtype=np.int64)
    first[places[::-1]] = np.arange(len(places))[::-1]
    return list(zip(*(column[first].tolist() for column in columns), strict=True)), places
