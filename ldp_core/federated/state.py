"""What a run is between two rounds: enough to go on from there, bit for bit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class State:
    """After `round` rounds. All else follows from the experiment: streams are keyed, not carried on."""

    round: int
    weights: NDArray[np.float32]
    """The global model, (d,)."""
    uploads: NDArray[np.int64]
    """How often each client has uploaded, (K,)."""

    def as_bytes(self) -> tuple[bytes, bytes]:
        """Weights and uploads, little-endian."""
        return self.weights.astype("<f4").tobytes(), self.uploads.astype("<i8").tobytes()

    @classmethod
    def from_bytes(cls, round: int, weights: bytes, uploads: bytes) -> State:
        """What `as_bytes` gave."""
        return cls(
            round,
            np.frombuffer(weights, dtype="<f4").astype(np.float32),
            np.frombuffer(uploads, dtype="<i8").astype(np.int64),
        )
