"""Base class of selections, which choose each round's participants."""

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Component


class Selection(Component):
    """Chooses the participants of each round; the server knows them, so sampling amplifies nothing. A kind in
    which each client decides independently states its probability as `chance`.
    """

    @abstractmethod
    def choose(self, count: int, seed: int, number: int, rounds: int) -> NDArray[np.int64]:
        """Participants of round `number`, from 1, among clients 0 … count − 1, ascending; drawn from
        `stream(seed, "selection", number)`, or for the whole run from `stream(seed, "selection")`.
        """

    def problem(self, count: int, rounds: int) -> str:
        """Why this number of rounds is impossible, as the rest of a sentence “rounds …”; "" if possible."""
        return ""

    @abstractmethod
    def expected_uploads(self, count: int, rounds: int) -> float:
        """Expected number of uploads of a client in a run."""

    def most_uploads(self, count: int, rounds: int) -> int:
        """Largest number of uploads of a client in a run; by default one a round."""
        return rounds

    def uploads_quantile(self, count: int, rounds: int, share: float) -> int:
        """Least number of uploads with probability at least `share` of no more; by default the worst case."""
        return self.most_uploads(count, rounds)

    def size(self, count: int) -> int | None:
        """Participants of a round if they are a uniform sample, independent between rounds; else None."""
        return None

    def stretches(self, count: int, rounds: int) -> list[tuple[int, int, int]] | None:
        """Parts of the run without repeated participants, if these are uniform samples: first and last round,
        participants per round.
        """
        return None
