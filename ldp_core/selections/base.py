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
        """Why so many rounds cannot be filled, as what follows “rounds …”; "" if they can."""
        return ""

    @abstractmethod
    def expected_uploads(self, count: int, rounds: int) -> float:
        """How often one client uploads in a run, on average."""

    @abstractmethod
    def most_uploads(self, count: int, rounds: int) -> int:
        """How often one client uploads in a run, at worst."""

    def uploads_quantile(self, count: int, rounds: int, share: float) -> int:
        """The fewest uploads that a client stays within with probability `share` at least.

        A kind that does not say so has only its worst case.
        """
        return self.most_uploads(count, rounds)

    def size(self, count: int) -> int | None:
        """How many take part in a round, if any so many of the clients are as likely as any others, and
        rounds are drawn independently; None where that is not so.
        """
        return None

    def stretches(self, count: int, rounds: int) -> list[tuple[int, int, int]] | None:
        """Where no client uploads twice: first round, last round, and how many take part in each of
        them, any so many as likely as any others. None for every other kind.
        """
        return None
