"""What follows from where the sliders stand: the law of what is sent, and the verdict on what is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from ldp_core import mechanisms
from ldp_core.errors import StudioError
from ldp_core.experiment import Experiment, changed
from ldp_core.theory import client_weights, outlook, server_noise
from ldp_core.theory.feasibility import Outlook, limits_in_words
from pages.parts.charts.law import law_figure, live_law
from pages.parts.charts.styles import tint_of
from pages.parts.noise.designs import Design, View, different
from pages.parts.noise.what_if import WhatIf, ahead_key
from pages.parts.ui import components
from pages.parts.ui.components import Card
from pages.parts.ui.shared_cache import once
from pages.parts.ui.text import number, percent, signed

MOST_CLIENTS = 5000
"""Of more than these the verdict stays that of the draft: to have it follow a hand would take too long."""
HEIGHT = 282
RATIOS = 0.03, 30.0
"""Ends of the line on which noise stands over what it is held against."""


def answer(now: WhatIf, shown: Sequence[Design]) -> None:
    """The law of what is sent, and beside it what the server is left with. Last
    comes what a drag may ask for.
    """
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        components.cards(components.sheet(laws(now)), key="laws")
    with right:
        key = ahead_key(now.seen, now.client)
        components.verdicts(_verdicts(now, shown) | {"key": key}, key="verdicts")
    if key:  # some hundred kB, which every drop would send again
        known = components.packed({"key": key}) if now.has == key else None
        components.ahead(known or once(("ahead", key), lambda: _ahead(key, now, shown)), key="ahead")


def laws(now: WhatIf) -> Iterator[Card]:
    """What is sent for the weight: a chart for each different law."""
    apart = different(list(now.seen))
    for view in apart:
        mechanism, epsilon, low, high = view.law
        weight = min(max(now.weight, low), high)
        variance = float(mechanism.variance(weight, epsilon, low, high))
        clipped = f", clipped to {signed(weight)}" if weight != now.weight else ""
        tint = tint_of(mechanisms.registry, mechanism.name)
        tail = f"grey: a weight from the other end of the safe range (shaded){_otherwise(view)}"
        yield Card(
            title=view.name,
            rest=f": what is sent for a weight of {signed(now.weight)}{clipped}, at ε {number(epsilon)}",
            caption=f"variance {number(variance)}, σ {number(np.sqrt(variance))}; {tail}",
            figure=law_figure(mechanism, tint, weight, epsilon, low, high),
            label=f"Law of {view.name} for a weight of {number(weight)} at ε {number(epsilon)}",
            height=HEIGHT,
            row=len(apart),
            law=live_law(mechanism, tint, now.ladder, low, high, tail) if now.ladder else None,
        )


def _otherwise(view: View) -> str:
    """That a run uses other ranges than the client's own, where it does."""
    experiment = view.design.experiment
    why = experiment.system.unpredicted(experiment) if experiment.system else ""
    return f"; this one is the client's own: in a run {why}" if why else ""


def _ahead(key: str, now: WhatIf, shown: Sequence[Design]) -> bytes:
    """The verdicts at every budget of the ladder."""
    own = float(shown[0].experiment.population().epsilon[now.client])
    steps = []
    for epsilon in now.ladder:
        told = _verdicts(replace(now, epsilon=None if epsilon == own else epsilon), shown)
        steps.append({"rest": told["rest"], "rows": told["rows"]})
    return components.packed({"key": key, "steps": steps})


def _verdicts(now: WhatIf, shown: Sequence[Design]) -> dict[str, Any]:
    rows, followed = [], True
    for design in shown:
        experiment, follows = _asking(design.experiment, now)
        followed &= follows
        view, noise = outlook(experiment), server_noise(experiment)
        share = float(client_weights(experiment)[min(now.client, experiment.clients.count - 1)])
        figures = [
            ["noise σ per weight", number(view.sigma)],
            ["weights without noise", number(view.size) if view.size else "not measured"],
            [f"share of client {now.client + 1}", percent(share, 1)],
        ]
        if noise.empty:
            figures.append(["empty rounds", percent(noise.empty)])
        rows.append(
            {
                "name": design.label,
                "run": design.style.tint,
                "word": view.word,
                "kind": view.word,
                # the line above the words shows the limits
                "why": view.why.removesuffix(f"; {limits_in_words(*view.limits)}" if view.limits else ""),
                "figures": figures,
                "scale": _scale(view),
            }
        )
    own = shown[0].experiment.population().epsilon
    many = int((own == own[now.client]).sum())
    who = f", if {'the client' if many == 1 else f'all {number(many, 6)} clients'} with "
    rest = f"{who}ε {number(float(own[now.client]))} asked for ε {number(now.epsilon)}" if now.epsilon else ""
    still = "" if followed else " So many clients: the verdict is that of the draft, whatever is dragged."
    return {
        "title": "What is left of it at the server",
        "rest": rest if followed else "",
        "rows": rows,
        "note": f"A rule of thumb, from the noise alone; Train shows what really happens.{still}",
    }


def _scale(view: Outlook) -> dict[str, Any] | None:
    """Where the noise stands between learning and chance, as shares of a logarithmic line; None where nothing
    is said.
    """
    if view.limits is None or view.ratio is None:
        return None
    places = [_place(ratio) for ratio in (*view.limits, view.ratio)]
    names = [f"learns up to {number(view.limits[0])}", f"chance from {number(view.limits[1])} on"]
    label = f"noise {number(view.ratio)} times what it is held against; {names[0]}, {names[1]}"
    return {"limits": places[:2], "at": places[2], "names": names, "label": label}


def _place(ratio: float) -> float:
    low, high = (float(np.log10(end)) for end in RATIOS)
    return min(1.0, max(0.0, (float(np.log10(max(ratio, RATIOS[0]))) - low) / (high - low)))


def _asking(experiment: Experiment, now: WhatIf) -> tuple[Experiment, bool]:
    """The experiment in which all who ask for what this client asks for ask for the slider's ε; and whether
    that could be made."""
    if now.epsilon is None:
        return experiment, True
    count = experiment.clients.count
    if count > MOST_CLIENTS:
        return experiment, False
    budgets = np.array(experiment.clients.budgets(), dtype=float)
    mine = budgets == budgets[min(now.client, count - 1)]
    scope = experiment.population().epsilon[min(now.client, count - 1)] / budgets[min(now.client, count - 1)]
    budgets[mine] = now.epsilon / scope
    try:
        return changed(experiment, {"clients.epsilon": budgets.tolist()}), True
    except StudioError:  # a system that fixes its clients' budgets
        return experiment, False
