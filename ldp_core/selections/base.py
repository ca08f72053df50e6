"""The contract of a selection."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Component


class Selection(Component):
    """Chooses the participants of each round; the server knows them, so nothing is amplified.

    A kind in which each client takes part by a draw of its own says with which probability, as `chance`.
    """

    @abstractmethod
    def choose(self, count: int, seed: int, number: int, rounds: int) -> NDArray[np.int64]:
        """The participants of one round among clients 0 … count − 1, ascending.

        What is drawn for one round alone comes from `stream(seed, "selection", number)`; what a whole run
        shares, from `stream(seed, "selection")`.

        Args:
            count: clients, K.
            seed: of the run.
            number: of the round, from 1.
            rounds: of the run.
        """

    def problem(self, count: int, rounds: int) -> str:
        """Why the rounds cannot be filled, as the rest of a sentence “rounds …”; "" if they can."""
        return ""

    @abstractmethod
    def expected_uploads(self, count: int, rounds: int) -> float:
        """Expected number of uploads of a client in a run."""

    @abstractmethod
    def most_uploads(self, count: int, rounds: int) -> int:
        """Largest number of uploads of a client in a run."""

    def uploads_quantile(self, count: int, rounds: int, share: float) -> int:
        """The fewest uploads that a client stays within with probability `share` at least.

        A kind that does not say so has only its worst case.
        """
        return self.most_uploads(count, rounds)

    def size(self, count: int) -> int | None:
        """Participants of a round if they are a uniform sample, independent between rounds; else None."""
        return None

    def stretches(self, count: int, rounds: int) -> list[tuple[int, int, int]] | None:
        """Stretches in which no client uploads twice: first round, last round, participants a round (a
        uniform sample); None for other selections.
        """
        return None
