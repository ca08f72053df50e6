"""Results of the search for the least ε: settings with all their seeds, and the answer.

A setting meets the target if a further run would, with 97.5 % confidence by the spread over seeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import nctdtrit, ndtri, stdtrit

CONFIDENCE = 0.975


class Point(NamedTuple):
    """One run: safe range ±half, ε (None: without noise), and seed relative to the base's."""

    half: float
    epsilon: float | None
    seed: int


Known = Mapping[Point, float]
"""The accuracy of each point that was trained; 0 of one that diverged."""


@dataclass(frozen=True)
class Tried:
    half: float
    epsilon: float
    mean: float
    sure: float
    """What a fresh run reaches with 97.5 % confidence, if no other setting was looked at."""
    most: float
    """What 97.5 % of runs reach is less than this, with the same confidence."""
    accuracy: float
    """That is asked for."""
    runs: int
    """That decide."""
    confirmed: bool = False
    """It was tried with as many seeds again as a setting is decided by at first."""

    @property
    def meets(self) -> bool:
        """A further run reaches the target with 97.5 % confidence."""
        return self.sure >= self.accuracy

    @property
    def open(self) -> bool:
        """Undecided: neither `meets`, nor is it sure that fewer than 97.5 % of runs reach the target."""
        return self.sure < self.accuracy <= self.most


class More(NamedTuple):
    """Further runs that would settle an open question, if figures stay as they are."""

    effort: int
    """To ask again with."""
    runs: int
    uploads: int


@dataclass(frozen=True)
class Answer:
    epsilon: float | None
    """The least; None where none was found."""
    half: float | None
    above: float | None
    """The largest ε, at that range, that was seen not to do: the least lies above it."""
    mean: float | None
    """Accuracy at the answer, over seeds that the search had not seen; None before they are trained."""
    sure: float | None
    """What one more run reaches with 97.5 % confidence, by the same seeds."""
    why: str
    """In a sentence."""
    more: More | None = None
    """Where none was found and more trials may tell."""

    @classmethod
    def none(cls, why: str, more: More | None) -> Self:
        return cls(None, None, None, None, None, why, more)

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"more": self.more and self.more._asdict()}


def sure_end(accuracies: Sequence[float]) -> float:
    """Accuracy that a further run reaches with 97.5 % confidence, by Student's t."""
    return float(np.mean(accuracies)) - below_end(len(accuracies)) * float(np.std(accuracies, ddof=1))


def below_end(runs: int) -> float:
    """Standard deviations below the mean of `runs` runs above which a further run lies with 97.5 %
    confidence.
    """
    return float(stdtrit(runs - 1, CONFIDENCE)) * sqrt(1 + 1 / runs)


def above_end(runs: int) -> float:
    """Standard deviations below the mean of `runs` runs above which, with 97.5 % confidence, the accuracy
    lies that 97.5 % of runs reach.
    """
    return float(nctdtrit(runs - 1, float(ndtri(CONFIDENCE)) * sqrt(runs), 1 - CONFIDENCE)) / sqrt(runs)
