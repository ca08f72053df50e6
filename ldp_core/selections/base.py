"""Base class of selections, which choose each round's participants."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Component


class Selection(Component):
    """Chooses the participants of each round; the server knows them, so there is no amplification by
    sampling.

    A kind in which each client decides independently states its probability as `chance`.
    """

    @abstractmethod
    def choose(self, count: int, seed: int, number: int, rounds: int) -> NDArray[np.int64]:
        """Participants of one round among clients 0 … count − 1, ascending.

        Draws for one round come from `stream(seed, "selection", number)`, draws for the whole run from
        `stream(seed, "selection")`.

        Args:
            count: number of clients, K.
            seed: seed of the run.
            number: number of the round, from 1.
            rounds: number of rounds of the run.
        """

    def problem(self, count: int, rounds: int) -> str:
        """Why this number of rounds is impossible, as the rest of a sentence “rounds …”; "" if possible."""
        return ""

    @abstractmethod
    def expected_uploads(self, count: int, rounds: int) -> float:
        """Expected number of uploads of a client in a run."""

    @abstractmethod
    def most_uploads(self, count: int, rounds: int) -> int:
        """Largest number of uploads of a client in a run."""

    def uploads_quantile(self, count: int, rounds: int, share: float) -> int:
        """Least number of uploads with probability at least `share` of no more; by default the worst case."""
        return self.most_uploads(count, rounds)

    def size(self, count: int) -> int | None:
        """Participants of a round if they are a uniform sample, independent between rounds; else None."""
        return None

    def stretches(self, count: int, rounds: int) -> list[tuple[int, int, int]] | None:
        """Parts of the run without repeated participants: first round, last round, participants per round (a
        uniform sample); None for other selections.
        """
        return None
