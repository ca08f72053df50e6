"""Precomputed laws and verdicts for all positions of one slider, so that the browser follows a drag.

Only for the slider under the hand, as all combinations would be thousands; moving another slider recomputes
them on the next drag.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from ldp_core import mechanisms
from ldp_core.experiment import plan
from ldp_core.runs import tint_of
from pages.parts.charts.density import grey, law_figure
from pages.parts.noise.designs import Design, different
from pages.parts.noise.verdicts import MANY, apart, asking, promise, verdicts
from pages.parts.noise.what_if import WhatIf
from pages.parts.ui import components
from pages.parts.ui.components import ChartCard
from pages.parts.ui.shared_cache import once
from pages.parts.ui.text import number, signed

DIGITS = 6
"""Number of digits of precomputed values."""


def ahead(now: WhatIf, shown: Sequence[Design]) -> bytes:
    """Tables for assets/web/ahead.js: those of the slider under the hand, if the browser lacks them."""
    key = now.keys[now.wants]
    if now.has.get(now.wants) == key:  # some hundred kB, and the work of a hundred verdicts and laws
        return components.packed({"slider": now.wants})
    return once(("ahead", key), lambda: _along(now.wants, key, now, shown))


def _along(slider: str, key: str, now: WhatIf, shown: Sequence[Design]) -> bytes:
    places = [now.at(slider, at) for at in range(len(now.sliders[slider].steps))]
    drawn = [[vars(card) | {"label": ""} for card in laws(place, moving=True)] for place in places]
    steps = {"of": {"cards": columns(drawn), "verdicts": _verdicts(slider, now, places, shown)}}
    return components.packed({"slider": slider, "key": key, "still": now.still(slider), "steps": steps})


def _verdicts(slider: str, now: WhatIf, places: Sequence[WhatIf], shown: Sequence[Design]) -> dict[str, Any]:
    """Cached apart from laws, as they do not depend on the weight and are slower."""
    if slider == "weight":
        return columns([_verdict(now, shown)])
    other = now.tau if slider == "epsilon" else now.epsilon
    drafts = tuple(plan(design.experiment).key for design in shown), tuple(design.label for design in shown)
    place: Hashable = ("verdicts", *drafts, now.client, slider, other)
    return once(place, lambda: _along_all(slider, now, places, shown))


def _along_all(slider: str, now: WhatIf, places: Sequence[WhatIf], shown: Sequence[Design]) -> dict[str, Any]:
    own = now.sliders[slider].own
    # limits are intervals: what may be asked for at both ends may be asked for between them
    ends = [asking(design.experiment, place) for place in (places[0], places[-1]) for design in shown]
    refused = [why for _, why in ends if why]
    if MANY in refused:  # then it is the same verdict wherever the client's own is not what is asked for
        still = _verdict(places[0 if own else -1], shown)
        every = []
        for at, place in enumerate(places):
            rows = zip(still["rows"], shown, strict=True)
            promised = apart([row | promise(design.experiment, place) for row, design in rows])
            every.append(_verdict(place, shown) if at == own else still | promised)
        return columns(every)
    return columns([_verdict(place, shown, checked=not refused) for place in places])


def _verdict(place: WhatIf, shown: Sequence[Design], checked: bool = False) -> dict[str, Any]:
    found = verdicts(place, shown, checked, moving=True)
    return {part: found[part] for part in ("rest", "rows", "promise", "note")}


def columns(values: Sequence[Any]) -> dict[str, Any]:
    """Compact encoding of values: {"same": …} for equal ones, {"of": [columns] or {name: columns}} for lists
    or objects of one shape, {"kinds": [columns], "at": [[kind, index]]} for several shapes, {"each": […],
    "within": [before, after]} for texts, else {"each": […]}.
    """
    first = values[0]
    if all(value == first for value in values):
        return {"same": first}
    kinds: dict[Hashable, list[Any]] = {}
    at = []
    for value in values:
        kind = kinds.setdefault(_shape(value), [])
        at.append([list(kinds).index(_shape(value)), len(kind)])
        kind.append(value)
    if len(kinds) > 1:
        return {"kinds": [columns(alike) for alike in kinds.values()], "at": at}
    if isinstance(first, dict):
        return {"of": {key: columns([value[key] for value in values]) for key in first}}
    if isinstance(first, list):
        return {"of": [columns(each) for each in zip(*values, strict=True)]}
    if not all(isinstance(value, str) for value in values):
        return {"each": [float(f"{one:.{DIGITS}g}") if isinstance(one, float) else one for one in values]}
    before = _beginning(values)
    after = _beginning([value[len(before) :][::-1] for value in values])[::-1]
    between = [value[len(before) : len(value) - len(after)] for value in values]
    return {"each": between, "within": [before, after]}


def _beginning(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    return first[: next((i for i, letter in enumerate(first) if letter != last[i]), len(first))]


def _shape(value: Any) -> Hashable:
    if isinstance(value, dict):
        return tuple(value)
    return len(value) if isinstance(value, list) else None


def laws(now: WhatIf, moving: bool = False) -> Iterator[ChartCard]:
    """A chart for each different law; `moving`: in the short form of `law_figure`."""
    apart = different(now.seen)
    for view in apart:
        mechanism, epsilon, low, high = view.law
        weight = min(max(now.weight, low), high)
        asked = view.asked[0] if now.epsilon is None else now.epsilon
        law = mechanism.at(epsilon, low, high)
        variance = float(law.variance(weight))
        clipped = f" for the weight, clipped to {signed(weight)}" if weight != now.weight else ""
        at, experiment = f"{number(epsilon)}{view.per}", view.design.experiment
        why = experiment.system.unpredicted(plan(experiment).public) if experiment.system else ""
        other = f"; this one is the client's own: in a run {why}" if why else ""
        beside, tint = grey(mechanism, low, high), tint_of(mechanisms.registry, mechanism.name)
        yield ChartCard(
            title=view.name,
            rest=f": what is sent{clipped}" + (f", at ε {at}" if epsilon != asked else ""),
            caption=f"variance {number(variance)}, σ {number(np.sqrt(variance))}; {beside}{other}",
            figure=law_figure(law, tint, now.weight, low, high, moving),
            label=f"Law of {view.name} for a weight of {number(weight)} at ε {at}",
            height=282,
            row=len(apart),
        )
