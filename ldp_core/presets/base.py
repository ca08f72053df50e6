"""The class of prepared scenarios."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.presets.questions import ScenarioQuestion


@dataclass(frozen=True)
class Preset:
    """A scenario that teaches one thing."""

    order: int
    """Sort key in lists."""
    label: str
    question: str
    """The scenario's question, the page's title."""
    says: tuple[str, ...]
    """Sentences on what the scenario's own runs show; a stored outcome bears out each number in them."""
    base: Mapping[str, Any]
    variants: tuple[tuple[str, Mapping[str, Any]], ...]
    ask: ScenarioQuestion
    """Question before the first run, answered by the run; `ask.why` is one of the sentences."""
    compares: tuple[str, ...] = ()
    """Labels of the runs that the headline compares; by default the question's, if several, else all."""
    by: Literal["accuracy", "leak"] = "accuracy"
    """Quantity that the headline compares."""
    seeds: int = 3
    control: Callable[[], float] | None = None
    """Accuracy without anybody's data, measured with the stored outcome."""
    glance: str = ""
    """Sentence that is also shown before the first run."""

    @property
    def compared(self) -> tuple[str, ...]:
        several = self.ask.of if len(self.ask.of) > 1 else tuple(label for label, _ in self.variants)
        return self.compares or several

    @property
    def lesson(self) -> str:
        return " ".join(self.says)

    @cached_property
    def draft(self) -> Draft:
        return Draft(
            parse({"name": self.label, **self.base}),
            tuple(Variant(label, changes) for label, changes in self.variants),
            self.seeds,
        )
