"""What follows from one client's budget and one weight while they are dragged: the law, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from ldp_core import mechanisms
from ldp_core.errors import StudioError
from ldp_core.experiment import Experiment, changed
from ldp_core.theory import client_weights, outlook, server_noise
from ldp_core.theory.feasibility import Outlook, limits_in_words
from pages.parts.charts.law import law_figure
from pages.parts.charts.styles import tint_of
from pages.parts.noise.designs import Design, View, different, views
from pages.parts.ui import components
from pages.parts.ui.components import Card
from pages.parts.ui.text import number, percent, signed
from pages.parts.ui.workspace import Workspace

ROUND = (0.1, 0.2, 0.5, 1, 2, 4, 8, 10, 20)
"""Budgets that one wants to be able to set exactly."""
WEIGHTS = 81
"""Places of a weight in its range."""
MOST_CLIENTS = 5000
"""Of more than these the verdict stays that of the draft: to have it follow a hand would take too long."""
HEIGHT = 282
RATIOS = 0.03, 30.0
"""Ends of the line on which noise stands over what it is held against."""
ASKED = "asked"
MOST_MOVES = 10**9


@dataclass(frozen=True)
class WhatIf:
    """Where the sliders stand."""

    who: str
    """What the client stands for."""
    client: int
    epsilon: float | None
    """None where it is what the client asks for."""
    weight: float
    seen: tuple[View, ...]

    @property
    def words(self) -> str:
        """Whose upload it is."""
        if self.epsilon is None:
            return f"client {self.client + 1} ({self.who})"
        return f"a client with ε {number(self.epsilon)}"


def what_if(workspace: Workspace, shown: list[Design], named: Mapping[str, int]) -> WhatIf:
    """The strip with its sliders; returns where they stand."""
    key = workspace.key("strip")
    asked = _asked(key)
    who = str(asked.get("who")) if str(asked.get("who")) in named else next(iter(named))
    client = named[who]
    own = float(shown[0].experiment.population().epsilon[client])
    ladder = _ladder(own)
    at = asked.get("epsilon")
    epsilon = ladder[at] if isinstance(at, int) and 0 <= at < len(ladder) and ladder[at] != own else None
    seen = views(shown, client, epsilon)
    low, high = min(view.low for view in seen), max(view.high for view in seen)
    weights = np.linspace(low, high, WEIGHTS)
    place = asked.get("weight")
    place = place if isinstance(place, int) and 0 <= place < WEIGHTS else round(0.6 * (WEIGHTS - 1))
    with st.container(key="strip"):
        components.strip(
            {
                "who": {
                    "label": "Whose upload",
                    "options": [[name, f"client {i + 1}: {name}"] for name, i in named.items()],
                    "chosen": who,
                },
                "sliders": [
                    {
                        "key": "epsilon",
                        "label": "Budget ε",
                        "steps": [number(step) for step in ladder],
                        "at": ladder.index(epsilon if epsilon is not None else own),
                        "note": "",
                    },
                    {
                        "key": "weight",
                        "label": "Its weight",
                        "steps": [signed(float(f"{weight:.3g}")) for weight in weights],
                        "at": place,
                        "note": "",
                    },
                ],
                "seq": _moves(asked),
            },
            key=key,
        )
    return WhatIf(who, client, epsilon, float(f"{weights[place]:.3g}"), tuple(seen))


def settled(workspace: Workspace) -> int:
    """The number of the last move that has ended; 0 before any."""
    asked = _asked(workspace.key("strip"))
    return _moves(asked) if asked.get("settled") else 0


def _asked(key: str) -> Mapping[str, Any]:
    """What the strip says, if it is the strip that says it."""
    told = (st.session_state.get(key) or {}).get(ASKED)
    return told if isinstance(told, Mapping) else {}


def _moves(asked: Mapping[str, Any]) -> int:
    """How many moves the strip has counted."""
    count = asked.get("seq")
    return count if isinstance(count, int) and 0 <= count < MOST_MOVES else 0


def _ladder(own: float) -> list[float]:
    """Budgets from strict to generous, with all that one wants to set exactly, and the client's own."""
    low, high = min(0.1, own), max(20.0, own)
    steps = [float(f"{step:.2g}") for step in np.geomspace(low, high, 80)]
    return sorted({*steps, *(step for step in map(float, ROUND) if low <= step <= high), own})


def answer(now: WhatIf, shown: Sequence[Design]) -> None:
    """The law of what is sent, and beside it what the server is left with."""
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        components.cards(components.sheet(laws(now)), key="laws")
    with right:
        components.verdicts(_verdicts(now, shown), key="verdicts")


def laws(now: WhatIf) -> Iterator[Card]:
    """What is sent for the weight: a chart for each different law."""
    once = different(list(now.seen))
    for view in once:
        mechanism, epsilon, low, high = view.law
        weight = min(max(now.weight, low), high)
        variance = float(mechanism.variance(weight, epsilon, low, high))
        clipped = f", clipped to {signed(weight)}" if weight != now.weight else ""
        tint = tint_of(mechanisms.registry, mechanism.name)
        yield Card(
            title=view.name,
            rest=f": what is sent for a weight of {signed(now.weight)}{clipped}, at ε {number(epsilon)}",
            caption=f"variance {number(variance)}, σ {number(np.sqrt(variance))}; grey: a weight from the "
            f"other end of the safe range (shaded){_otherwise(view)}",
            figure=law_figure(mechanism, tint, weight, epsilon, low, high),
            label=f"Law of {view.name} for a weight of {number(weight)} at ε {number(epsilon)}",
            height=HEIGHT,
            row=len(once),
        )


def _otherwise(view: View) -> str:
    """That a run uses other ranges than the client's own, where it does."""
    experiment = view.design.experiment
    why = experiment.system.unpredicted(experiment) if experiment.system else ""
    return f"; this one is the client's own: in a run {why}" if why else ""


def _verdicts(now: WhatIf, shown: Sequence[Design]) -> dict[str, Any]:
    rows, followed = [], True
    for design in shown:
        experiment, follows = _asking(design.experiment, now)
        followed &= follows
        view, noise = outlook(experiment), server_noise(experiment)
        share = float(client_weights(experiment)[min(now.client, experiment.clients.count - 1)])
        figures = [
            ["noise σ per weight", number(view.sigma)],
            ["trained weight", number(view.size) if view.size else "not measured"],
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
