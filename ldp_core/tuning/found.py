"""Results of the search for the least ε: settings with all their seeds, and the answer.

A setting meets the target if a further run would, with 97.5 % confidence by the spread over seeds.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self


class Point(NamedTuple):
    """One run: safe range ±half, ε (None: without noise), and seed relative to the base's."""

    half: float
    epsilon: float | None
    seed: int


Known = Mapping[Point, float]
"""Final accuracy by trained point; 0 for a diverged run."""


@dataclass(frozen=True)
class Tried:
    half: float
    epsilon: float
    mean: float
    sure: float
    """Accuracy that a further run reaches with 97.5 % confidence, by the deciding and by the fresh runs."""
    most: float
    """Upper confidence limit (97.5 %) on the accuracy that 97.5 % of runs reach."""
    accuracy: float
    """Target accuracy."""
    runs: int
    """Number of deciding runs."""
    confirmed: bool = False
    """Whether the setting was tried with as many further seeds as decided at first."""

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
    """Effort of the question with which these runs would be made."""
    runs: int
    uploads: int


@dataclass(frozen=True)
class Answer:
    epsilon: float | None
    """Least ε that meets the target; None if none was found."""
    half: float | None
    above: float | None
    """Largest ε at that range that does not meet the target; the least ε lies above it."""
    mean: float | None
    """Mean accuracy at the answer over seeds that the search has not used; None before they are trained."""
    sure: float | None
    """Accuracy that a further run reaches with 97.5 % confidence, by the same seeds."""
    why: str
    """Reason in one sentence."""
    more: More | None = None
    """Further runs that may find an answer; None if there is one, or if none would help."""

    @classmethod
    def none(cls, why: str, more: More | None) -> Self:
        return cls(None, None, None, None, None, why, more)

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"more": self.more and self.more._asdict()}
