"""State of a run between two rounds: enough to resume bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class State:
    """State after `round` rounds. Random streams are keyed by seed, purpose and round, so no generator is
    stored.
    """

    round: int
    weights: NDArray[np.float32]
    """Global model, (d,)."""
    uploads: NDArray[np.int64]
    """Number of uploads of each client so far, (K,)."""
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """What a system's clients keep between rounds, by name."""
    engine: str = ""
    """Kind of engine that the run began with, which decides the last bits; "" if unknown."""

    @property
    def size(self) -> int:
        """In bytes."""
        return self.weights.nbytes + self.uploads.nbytes + sum(one.nbytes for one in self.arrays.values())

    def as_bytes(self) -> tuple[bytes, bytes]:
        """Weights (float32) and uploads (int64) as little-endian bytes."""
        return self.weights.astype("<f4").tobytes(), self.uploads.astype("<i8").tobytes()

    def arrays_as_bytes(self) -> dict[str, bytes]:
        """Named arrays in numpy's npy format."""
        return {name: _saved(array) for name, array in self.arrays.items()}

    @classmethod
    def from_bytes(
        cls,
        round: int,
        weights: bytes,
        uploads: bytes,
        arrays: Mapping[str, bytes] | None = None,
        engine: str = "",
    ) -> State:
        """State restored from `as_bytes`, `arrays_as_bytes` and the engine's name."""
        return cls(
            round,
            np.frombuffer(weights, dtype="<f4").astype(np.float32),
            np.frombuffer(uploads, dtype="<i8").astype(np.int64),
            {name: np.load(BytesIO(data), allow_pickle=False) for name, data in (arrays or {}).items()},
            engine,
        )


def _saved(array: NDArray[Any]) -> bytes:
    file = BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()
