"""Colours that mean the same on every page.

A mechanism and an aggregator have a colour each, by their place in their registry; a run takes the
colour of what sets it apart, and a dash of its own where several share it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ldp_core import aggregators, mechanisms
from ldp_core.component import Registry
from ldp_core.experiment import Draft
from pages.parts.charts.base import DASHES

TOLD_APART_BY: tuple[tuple[str, Registry[Any]], ...] = (
    ("mechanism.name", mechanisms.registry),
    ("aggregator.name", aggregators.registry),
)


OTHERWISE = (2, 1, 3, 4, 5, 6, 7, 8, 0)
"""The colours of runs that nothing of the above tells apart: blue first, grey last."""


@dataclass(frozen=True)
class Style:
    """How one run is drawn."""

    tint: int
    dash: str = "solid"


def tint_of(registry: Registry[Any], name: str) -> int:
    """The colour of a component."""
    return list(registry.labels()).index(name)


def styles(draft: Draft) -> list[Style]:
    """One for each variant."""
    tints = []
    for place, variant in enumerate(draft.variants):
        named = [
            tint_of(registry, variant.set[path]) for path, registry in TOLD_APART_BY if path in variant.set
        ]
        tints.append(named[0] if named else OTHERWISE[place % len(OTHERWISE)])
    return [Style(tint, DASHES[tints[:place].count(tint) % len(DASHES)]) for place, tint in enumerate(tints)]
