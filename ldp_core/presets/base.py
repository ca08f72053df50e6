"""What a preset is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ldp_core.experiment import Draft, Variant, parse


@dataclass(frozen=True)
class Preset:
    """A scenario that teaches one thing."""

    order: int
    """Its place in lists; the default is 1."""
    label: str
    question: str
    """What it asks; the title of the page when it is open."""
    lesson: str
    """What to look for, without giving figures: those come from the viewer's own runs."""
    base: Mapping[str, Any]
    variants: tuple[tuple[str, Mapping[str, Any]], ...]
    seeds: int = 3

    @property
    def draft(self) -> Draft:
        """A fresh draft of it."""
        return Draft(
            parse({"name": self.label, **self.base}),
            tuple(Variant(label, changes) for label, changes in self.variants),
            self.seeds,
        )
