"""A lesson: a scenario to predict, or a room that answers itself; one field to change; a last question."""

from dataclasses import replace
from typing import Literal

from pydantic import Field

from ldp_core import presets
from ldp_core.papers.base import TomlTable
from ldp_core.presets.questions import OptionQuestion, ScenarioQuestion, most_accurate

Lesson = Literal["scenario", "one_bit", "own_digits"]
"""What is done in a lesson: a run is predicted, a bit goes through a coin, or each student is a client."""


class Transfer(TomlTable):
    """A question on another setting that the lesson's rule answers."""

    text: str
    right: str
    why: str
    wrong: dict[str, str] = Field(min_length=2)
    """Sentence to a student who chose a wrong option, by option."""

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(sorted([self.right, *self.wrong]))


class LessonPlan(TomlTable):
    """A file `lessons/NAME.toml`."""

    name: str = ""
    order: int = 100
    """Place on the path."""
    label: str
    kind: Lesson = "scenario"
    setting: str
    """Two sentences before the question."""
    question: str = ""
    """The lesson's question; "" for its scenario's."""
    scenario: str = ""
    """Scenario whose stored runs give the answer."""
    which: tuple[str, ...] = ()
    """Runs of the scenario among which the question asks for the most accurate; () if it asks what its
    scenario does.
    """
    why: str = ""
    """The answer's reason; "" for the scenario's."""
    wrong: dict[str, str] = {}
    """Sentence to a student who guessed a wrong option, by option; `higher` and `lower`
    where it asks for a number.
    """
    options: dict[str, str] = {}
    """Options of the question in other words, by option."""
    look: str = ""
    """Where the effect is visible in the chart."""
    free: str = ""
    """Dotted name of the field that may be changed afterwards; "" for none."""
    transfer: Transfer
    figure: Literal["", "releases", "leak", "classes"] = ""
    """The lesson's own chart: numbers that ε covers, leakage over variance, or accuracy on each class."""
    terms: dict[str, str] = {}
    """Words that are met here first, each in one sentence."""
    words: dict[str, str] = {}
    """Words of the screens of a lesson of its own kind, by what they are for."""

    @property
    def ask(self) -> ScenarioQuestion:
        """Question to a scenario's runs; raises UnknownName for a lesson without a scenario."""
        own = presets.get(self.scenario).ask
        why = self.why or own.why
        asked = most_accurate(self.question, self.which, why) if self.which else own
        asked = replace(asked, text=self.question or own.text, why=why)
        return replace(asked, named=self.options) if isinstance(asked, OptionQuestion) else asked


class Translation(TomlTable):
    """A file `lessons/NAME.LANGUAGE.toml`: a lesson's texts, of which those that are missing stay English."""

    label: str | None = None
    setting: str | None = None
    question: str | None = None
    why: str | None = None
    wrong: dict[str, str] = {}
    options: dict[str, str] = {}
    look: str | None = None
    transfer: Transfer | None = None
    terms: dict[str, str] | None = None
    words: dict[str, str] = {}
