"""Counts of identifications over rounds and seeds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldp_core.attacks.findings.verdict import SELDOM
from ldp_core.inference import by_chance, wilson
from ldp_core.mechanisms.base import Floats
from ldp_core.runs import Tries
from pages.parts.charts.series import Series
from pages.parts.ui.text import THIN, number, percent


def attempts_on(one: Series, upload: str, client: int) -> list[Tries]:
    """Attacks on a client's uploads, one per seed; empty before the first round."""
    found = [run.tries[upload, client] for run in one.runs if (upload, client) in run.tries]
    return found if len(found) == len(one.runs) and all(tries.rounds for tries in found) else []


@dataclass(frozen=True)
class Tally:
    """Number of identifications among n attempts; guessing has rate `chance`."""

    hits: float
    """Number of identifications; a tie of k candidates counts 1/k."""
    n: int
    chance: float

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.hits, self.n)

    def above_chance(self, comparisons: int = 1) -> bool:
        """Whether guessing does not explain the count, after a choice among `comparisons` (Bonferroni)."""
        return by_chance(self.hits, self.n, self.chance) < SELDOM / comparisons

    @property
    def share(self) -> float:
        return self.hits / self.n

    @property
    def picked(self) -> str:
        """Number of identifications as text; ties count as fractions."""
        return number(round(self.hits), 6)

    @property
    def candidates(self) -> int:
        return round(1 / self.chance)

    @property
    def guessed(self) -> str:
        """Expected number of identifications by chance: `4 or 5` if not whole."""
        expected = self.chance * self.n
        low = math.floor(expected + 1e-9)
        return number(low, 4) if expected - low < 0.05 else f"{number(low, 4)} or {number(low + 1, 4)}"


def tally(tries: Sequence[Tries]) -> Tally | None:
    """Identifications over all seeds and their common rounds; None if not computed."""
    counts = _picks(tries)
    if counts is None or not tries[0].candidates:
        return None
    return Tally(float(counts.sum()), counts.size, 1 / tries[0].candidates)


def _picks(tries: Sequence[Tries]) -> Floats | None:
    """(seeds, rounds): 1 for an identification, 1/k for a tie of k."""
    if not tries:
        return None
    rounds = min(one.rounds for one in tries)
    table: Floats = np.stack([one.picks[:rounds] for one in tries])
    return table if rounds and not np.isnan(table).any() else None


def between(low: float, high: float) -> str:
    """A 95 % interval of a share, in words."""
    return f"95{THIN}%: {100 * low:.0f} to {percent(high)}"
