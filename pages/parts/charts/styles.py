"""Colours that mean the same on every page.

A mechanism and an aggregator have a colour each, by their place in their registry; a run takes the
colour of what sets it apart, or the next that is free: two runs never share one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ldp_core import aggregators, mechanisms
from ldp_core.component import Registry
from ldp_core.experiment import Draft, Variant
from pages.parts.charts.base import DASHES

MARKED_BY: tuple[tuple[str, Registry[Any]], ...] = (
    ("mechanism.name", mechanisms.registry),
    ("aggregator.name", aggregators.registry),
)


OTHERWISE = (2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 0)
"""The colours of runs that nothing of the above tells apart: blue first, grey last."""
COLOURS = len(OTHERWISE)
"""As many as the theme has (.streamlit/config.toml)."""
FEW = 5
"""More runs than this have no labels at the ends of their lines."""


@dataclass(frozen=True)
class Style:
    tint: int
    dash: str = "solid"


def tint_of(registry: Registry[Any], name: str) -> int:
    return list(registry.labels()).index(name)


def styles(draft: Draft, shared: bool = False) -> list[Style]:
    """One for each variant: no two have the same colour, unless they differ in their budget alone and stand
    as points on one line (`ladders`), or `shared` has all take that of their mechanism or aggregator.
    """
    if shared:
        found = [_own(variant) for variant in draft.variants]
        own = [OTHERWISE[i % COLOURS] if tint is None else tint for i, tint in enumerate(found)]
        return [Style(tint, DASHES[own[:i].count(tint) % len(DASHES)]) for i, tint in enumerate(own)]
    steps = ladders(draft)
    if steps:
        first = {name: place for place, (name, _) in reversed(list(enumerate(steps)))}
        tints = _tints([draft.variants[place] for place in first.values()])
        of = dict(zip(first, tints, strict=True))
        places = [sum(name == before for before, _ in steps[:i]) for i, (name, _) in enumerate(steps)]
        return [Style(of[name], DASHES[k % len(DASHES)]) for (name, _), k in zip(steps, places, strict=True)]
    return [
        Style(tint, DASHES[(i // COLOURS) % len(DASHES)]) for i, tint in enumerate(_tints(draft.variants))
    ]


def ladders(draft: Draft) -> list[tuple[str, float]]:
    """Line and ε of each variant where many variants are a few designs at several budgets; else empty."""
    base = draft.base.clients.epsilon
    found = []
    for variant in draft.variants:
        epsilon = variant.set.get("clients.epsilon", base)
        if not isinstance(epsilon, int | float):
            return []
        rest = {path: value for path, value in variant.set.items() if path != "clients.epsilon"}
        found.append((str(sorted(rest.items())), float(epsilon)))
    lines = Counter(name for name, _ in found)
    many = len(found) > FEW and len(set(found)) == len(found)
    return found if many and min(lines.values()) > 1 else []


def _own(variant: Variant) -> int | None:
    """The colour of what sets a variant apart, if that has one."""
    named = (tint_of(registry, variant.set[path]) for path, registry in MARKED_BY if path in variant.set)
    return next(named, None)


def _tints(variants: Sequence[Variant]) -> list[int]:
    """A colour each: that of what tells it apart, or the next that is free."""
    taken: list[int] = []
    for place, variant in enumerate(variants):
        own = _own(variant)
        wanted = [OTHERWISE[place % COLOURS] if own is None else own, *OTHERWISE]
        free = [tint for tint in (one % COLOURS for one in wanted) if tint not in taken]
        taken.append(free[0] if free else place % COLOURS)
    return taken
