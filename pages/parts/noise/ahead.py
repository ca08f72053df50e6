"""The verdicts at all places of one slider, computed before a hand comes there, for the browser to follow it.

Not of both sliders at once: that would be thousands. Where the other slider is moved, those along this one
are computed again, once the hand comes to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pages.parts.noise.designs import Design
from pages.parts.noise.verdicts import MANY, asking, verdicts
from pages.parts.noise.what_if import WhatIf
from pages.parts.ui import components
from pages.parts.ui.shared_cache import once

ACROSS = {"epsilon": "tau", "tau": "epsilon"}
"""The slider that stands still while one is moved."""


def ahead(now: WhatIf, shown: Sequence[Design]) -> bytes:
    """What assets/web/ahead.js keeps: of the slider that the hand is at, as long as the browser lacks it."""
    key = now.keys[now.wants]
    if now.has.get(now.wants) == key:  # some ten kB, and the work of a hundred verdicts
        return components.packed({"slider": now.wants})
    return once(("ahead", key), lambda: _along(now.wants, key, now, shown))


def _along(slider: str, key: str, now: WhatIf, shown: Sequence[Design]) -> bytes:
    stands, across = now.sliders[slider], now.sliders[ACROSS[slider]]
    places = [moved_to(now, slider, stands.asked(at)) for at in range(len(stands.steps))]
    # limits are intervals: what may be asked for at both ends may be asked for between them
    ends = [asking(design.experiment, place) for place in (places[0], places[-1]) for design in shown]
    refused = [why for _, why in ends if why]
    if MANY in refused:  # then it is the same verdict wherever the client's own is not what is asked for
        still = verdicts(places[0 if stands.own else -1], shown)
        told = [verdicts(place, shown) if at == stands.own else still for at, place in enumerate(places)]
    else:
        told = [verdicts(place, shown, checked=not refused) for place in places]
    steps = columns([{"rest": one["rest"], "rows": one["rows"], "note": one["note"]} for one in told])
    return components.packed({"slider": slider, "key": key, "across": across.at, "steps": steps})


def moved_to(now: WhatIf, slider: str, value: float | None) -> WhatIf:
    """With one slider elsewhere; None: where it is what the client asks for."""
    return replace(now, epsilon=value) if slider == "epsilon" else replace(now, tau=value)


def columns(values: Sequence[Any]) -> dict[str, Any]:
    """Values that are alike, with what they have in common told once: {"same": …} of all of them,
    {"of": [columns] or {name: columns}} of lists or objects of one shape, else {"each": […]}.
    """
    first = values[0]
    if all(value == first for value in values):
        return {"same": first}
    if all(isinstance(value, dict) and value.keys() == first.keys() for value in values):
        return {"of": {key: columns([value[key] for value in values]) for key in first}}
    if all(isinstance(value, list) and len(value) == len(first) for value in values):
        return {"of": [columns(each) for each in zip(*values, strict=True)]}
    return {"each": list(values)}
