"""A lesson: a scenario to predict, where to look, one field to change, and a question on another setting."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Transfer:
    """A question on another setting that the lesson's rule answers."""

    text: str
    options: tuple[str, ...]
    place: int
    """Index of the right option."""
    why: str

    @property
    def right(self) -> str:
        return self.options[self.place]


@dataclass(frozen=True)
class LessonPlan:
    order: int
    """Place on the path."""
    label: str
    scenario: str
    """Scenario with the lesson's question; its stored runs give the answer."""
    setting: str
    """Two sentences before the question."""
    look: str
    """Where the effect is visible in the chart."""
    free: str
    """Dotted name of the field that may be changed afterwards."""
    transfer: Transfer
    figure: Literal["", "releases", "leak", "classes"] = ""
    """The lesson's own chart: numbers that ε covers, leakage over variance, or accuracy on each class."""
