"""What follows from where the sliders stand: the law of what is sent, and the verdict on what is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import streamlit as st

from ldp_core import mechanisms
from pages.parts.charts.law import grey, law_figure
from pages.parts.charts.styles import tint_of
from pages.parts.noise.ahead import ahead
from pages.parts.noise.designs import Design, View, different
from pages.parts.noise.live_law import live_law
from pages.parts.noise.verdicts import verdicts
from pages.parts.noise.what_if import WhatIf
from pages.parts.ui import components
from pages.parts.ui.components import Card
from pages.parts.ui.text import number, signed

HEIGHT = 282


def answer(now: WhatIf, shown: Sequence[Design]) -> None:
    """The law of what is sent, and beside it what the server is left with. Last
    comes what a drag may ask for.
    """
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        components.cards(components.sheet(laws(now)), key="laws")
    with right:
        components.verdicts(verdicts(now, shown) | {"keys": now.keys or None}, key="verdicts")
    if now.keys:
        components.ahead(ahead(now, shown), key="ahead")


def laws(now: WhatIf) -> Iterator[Card]:
    """What is sent for the weight: a chart for each different law."""
    apart = different(list(now.seen))
    for view in apart:
        mechanism, epsilon, low, high = view.law
        weight = min(max(now.weight, low), high)
        variance = float(mechanism.variance(weight, epsilon, low, high))
        clipped = f", clipped to {signed(weight)}" if weight != now.weight else ""
        tint = tint_of(mechanisms.registry, mechanism.name)
        at = f"{number(epsilon)}{view.per}"
        beside, tail = grey(mechanism, low, high), _otherwise(view)
        yield Card(
            title=view.name,
            rest=f": what is sent for a weight of {signed(now.weight)}{clipped}, at ε {at}",
            caption=f"variance {number(variance)}, σ {number(np.sqrt(variance))}; {beside}{tail}",
            figure=law_figure(mechanism, tint, now.weight, epsilon, low, high),
            label=f"Law of {view.name} for a weight of {number(weight)} at ε {at}",
            height=HEIGHT,
            row=len(apart),
            law=_live(view, tint, now, tail) if now.sliders else None,
        )


def _live(view: View, tint: int, now: WhatIf, tail: str) -> dict[str, Any] | None:
    shares = view.design.experiment.shares
    return live_law(
        view.mechanism, tint, now.sliders["epsilon"].steps, view.asked, tail, shares=shares, per=view.per
    )


def _otherwise(view: View) -> str:
    """That a run uses other ranges than the client's own, where it does."""
    experiment = view.design.experiment
    why = experiment.system.unpredicted(experiment) if experiment.system else ""
    return f"; this one is the client's own: in a run {why}" if why else ""
