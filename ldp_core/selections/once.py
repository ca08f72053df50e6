"""Each client once: the clients are divided over the rounds."""

import numpy as np
from numpy.typing import NDArray

from ldp_core.selections.base import Selection
from ldp_core.streams import stream


class Once(Selection):
    """K clients over T rounds: K mod T of the rounds have one client more."""

    label = "everybody once"
    summary = "Each client uploads in one round, and never again: its run costs what one upload costs."
    formula = r"\mathcal P_1\cup\dots\cup\mathcal P_T=\{1,\dots,K\},\ \mathcal P_s\cap\mathcal P_t=\emptyset"
    reference = "One report a person, as large deployments of local privacy collect them"

    def choose(self, count: int, seed: int, number: int, rounds: int) -> NDArray[np.int64]:
        if number > rounds:
            return np.zeros(0, dtype=np.int64)
        order = stream(seed, "selection").permutation(count)
        return np.sort(np.array_split(order, rounds)[number - 1])

    def problem(self, count: int, rounds: int) -> str:
        if rounds <= count:
            return ""
        return (
            f"must be at most {count} where each of {count} clients uploads once, so that every round has "
            f"somebody; got {rounds}"
        )

    def expected_uploads(self, count: int, rounds: int) -> float:
        return 1.0

    def most_uploads(self, count: int, rounds: int) -> int:
        return 1

    def stretches(self, count: int, rounds: int) -> list[tuple[int, int, int]]:
        few, more = divmod(count, rounds)
        parts = [(1, more, few + 1), (more + 1, rounds, few)]
        return [part for part in parts if part[1] >= part[0] and part[2]]
