"""The class of prepared scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.presets.claims import Lesson
from ldp_core.presets.questions import Question


@dataclass(frozen=True)
class Preset:
    """A scenario that teaches one thing."""

    order: int
    """Its place in lists; the default is 1."""
    label: str
    question: str
    """What it asks; the title of the page when it is open."""
    says: Lesson
    """Its lesson: what to look for. A sentence that names a figure or an order has a check, and a page tells
    it of runs that bear it out."""
    base: Mapping[str, Any]
    variants: tuple[tuple[str, Mapping[str, Any]], ...]
    ask: Question
    """What is asked before its first run, and answered by it; `ask.why` is a sentence of its lesson."""
    compares: tuple[str, ...] = ()
    """Labels of the runs that the headline compares: by default those of the question, if there are several,
    else all."""
    by: Literal["accuracy", "leak"] = "accuracy"
    """What the headline compares of them."""
    seeds: int = 3

    @property
    def compared(self) -> tuple[str, ...]:
        several = self.ask.of if len(self.ask.of) > 1 else tuple(label for label, _ in self.variants)
        return self.compares or several

    @property
    def lesson(self) -> str:
        return " ".join(sentence.text for sentence in self.says)

    @property
    def draft(self) -> Draft:
        return Draft(
            parse({"name": self.label, **self.base}),
            tuple(Variant(label, changes) for label, changes in self.variants),
            self.seeds,
        )
