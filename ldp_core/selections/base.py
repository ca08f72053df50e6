"""Base class of selections, which choose each round's participants."""

from abc import abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Component

MOST_DRAWN = 10_000_000
"""Largest number of rounds times clients that are drawn before a run."""


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

    def size(self, count: int) -> int | None:
        """Participants of a round if they are a uniform sample, independent between rounds; else None."""
        return None

    def stretches(self, count: int, rounds: int) -> list[tuple[int, int, int]] | None:
        """Parts of the run without repeated participants, if these are uniform samples: first and last round,
        participants per round.
        """
        return None


class Budgets(NamedTuple):
    """What a selection may know of the clients before a run, (K,) each."""

    epsilon: NDArray[np.float64]
    """As asked."""
    affordable: NDArray[np.int64]
    """Number of uploads that the limit on a client's run allows, at most one a round."""


class ByBudget(Selection):
    """Base of selections that know budgets: all rounds are drawn before the run, from public facts, so that
    each client's ledger counts its own uploads.
    """

    @abstractmethod
    def schedule(self, budgets: Budgets, rounds: int, generator: np.random.Generator) -> NDArray[np.bool_]:
        """Who takes part in which round, (rounds, K), ignoring limits, which a run keeps anyway."""

    def problem(self, count: int, rounds: int) -> str:
        most = MOST_DRAWN // count
        what = f"must be at most {most} where budgets decide who of {count} clients takes part"
        return f"{what}; got {rounds}" if rounds > most else ""

    def choose(self, count: int, seed: int, number: int, rounds: int) -> NDArray[np.int64]:
        raise TypeError("budgets decide: ask `Plan.turns`")

    def expected_uploads(self, count: int, rounds: int) -> float:
        raise TypeError("budgets decide: ask `Plan.turns`")
