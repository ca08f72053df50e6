"""Colours with the same meaning on every page and in every export.

Each mechanism and aggregator has a colour by its place in its registry; a run takes the colour of the part
that distinguishes it, or the next free one: two runs never share one.
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from ldp_core import aggregators, mechanisms
from ldp_core.component import Registry
from ldp_core.experiment import Draft, Variant

MARKED_BY: tuple[tuple[str, Registry[Any]], ...] = (
    ("mechanism.name", mechanisms.registry),
    ("aggregator.name", aggregators.registry),
)


OTHERWISE = (2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 0)
"""Colour numbers for runs that no part distinguishes, in order: blue first, grey last."""
LIGHT = (
    *("#64707f", "#b35900", "#1f5fae", "#00795c", "#9c3587", "#8a6d00"),
    *("#b3261e", "#3d3d8f", "#00708a", "#6b4f2a", "#c2185b"),
)
"""The light theme's colours (.streamlit/config.toml), distinct with any colour vision and legible as text."""
INK = "#0e1420"
"""The light theme's colour of text."""
COLOURS = len(LIGHT)
DASHES = ("solid", "dash", "dot", "longdash", "dashdot", "longdashdot")
BUDGET = frozenset({"clients.epsilon", "clients.epsilon_scope"})
"""Fields in which variants of one mechanism may differ to share its hue."""
FEW = 5
"""Largest number of runs with labels at the ends of their lines."""


@dataclass(frozen=True)
class Style:
    tint: int
    dash: str = "solid"


def painted(tint: int) -> str:
    """Colour in the light theme, as `#rrggbb`: smaller budgets of one mechanism are nearer to the ink."""
    paint, ink = ([int(one[i : i + 2], 16) for i in (1, 3, 5)] for one in (LIGHT[tint % COLOURS], INK))
    share = 1 - 0.55 ** (tint // COLOURS)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(paint, ink, strict=True))


def tint_of(registry: Registry[Any], name: str) -> int:
    """Colour number of a part by its place in the registry; beyond the palette the last two alternate."""
    names = [*registry.labels(), name]
    place = names.index(name)
    return place if place < COLOURS else COLOURS - 1 - place % 2


def styles(draft: Draft) -> list[Style]:
    """Style of each variant: different colours, unless variants differ in ε only and form `ladders`."""
    steps = ladders(draft)
    if steps:
        first = {name: place for place, (name, _) in reversed(list(enumerate(steps)))}
        tints = _tints(replace(draft, variants=tuple(draft.variants[place] for place in first.values())))
        of = dict(zip(first, tints, strict=True))
        places = [sum(name == before for before, _ in steps[:i]) for i, (name, _) in enumerate(steps)]
        return [Style(of[name], DASHES[k % len(DASHES)]) for (name, _), k in zip(steps, places, strict=True)]
    return [Style(tint, DASHES[(i // COLOURS) % len(DASHES)]) for i, tint in enumerate(_tints(draft))]


def ladders(draft: Draft) -> list[tuple[str, float]]:
    """Line and ε of each variant, if the variants are a few designs at several ε; else empty."""
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
    """Colour of the part that distinguishes a variant; None if there is none."""
    named = (tint_of(registry, variant.set[path]) for path, registry in MARKED_BY if path in variant.set)
    return next(named, None)


def _tints(draft: Draft) -> list[int]:
    """Colours of variants' parts, or the next free; of one mechanism a hue, darkest for the largest ε."""
    # one run alone stands for no mechanism of several
    base = tint_of(mechanisms.registry, draft.base.mechanism.name) if draft.variants[1:] else None
    found = [base if BUDGET.issuperset(one.set) else _own(one) for one in draft.variants]
    marks = [(tint, _budget(draft, place)) for place, tint in enumerate(found)]
    owns = [None if mark in marks[:place] else mark[0] for place, mark in enumerate(marks)]
    free = [tint for tint in OTHERWISE if tint not in owns]
    taken = list[int]()
    for place, own in enumerate(owns):
        if own is None:
            taken.append(free[owns[:place].count(None) % len(free)])
            continue
        alike = sorted((i for i, one in enumerate(owns) if one == own), key=lambda i: -_budget(draft, i))
        taken.append(own + COLOURS * alike.index(place))
    return taken


def _budget(draft: Draft, place: int) -> float:
    """ε of a variant if it is one number; else 0, which keeps their order."""
    asked = draft.variants[place].set.get("clients.epsilon", draft.base.clients.epsilon)
    return float(asked) if isinstance(asked, int | float) else 0.0
