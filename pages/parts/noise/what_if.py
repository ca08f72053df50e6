"""One client's budget and one weight, dragged: where the sliders stand, and who can follow them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import streamlit as st

from pages.parts.charts.law import is_live
from pages.parts.noise.designs import Design, View, views
from pages.parts.ui import components
from pages.parts.ui.text import number, signed
from pages.parts.ui.workspace import Workspace

ROUND = (0.1, 0.2, 0.5, 1, 2, 4, 8, 10, 20)
"""Budgets that one wants to be able to set exactly."""
WEIGHTS = 81
"""Places of a weight in its range."""
MOST_AHEAD = 200
"""Of more clients than these the verdicts are computed move by move, and not ahead for all budgets."""
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
    ladder: tuple[float, ...] = ()
    """Where the slider of budgets may stand."""
    has: str = ""
    """The key of what was computed ahead that the browser holds."""

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
    weights = [float(f"{weight:.3g}") for weight in np.linspace(low, high, WEIGHTS)]
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
                        "values": ladder,
                        "at": ladder.index(epsilon if epsilon is not None else own),
                        "note": "",
                    },
                    {
                        "key": "weight",
                        "label": "Its weight",
                        "steps": [signed(weight) for weight in weights],
                        "values": weights,
                        "at": place,
                        "note": "",
                    },
                ],
                "seq": _moves(asked),
                "ahead": ahead_key(seen, client),
            },
            key=key,
        )
    return WhatIf(who, client, epsilon, weights[place], tuple(seen), tuple(ladder), str(asked.get("has")))


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


def ahead_key(seen: Sequence[View], client: int) -> str:
    """What tells apart what is computed ahead; "" where the server answers each move, as the browser does not
    know one of the laws, or as there are many clients to compute the verdicts of.
    """
    experiments = [view.design.experiment for view in seen]
    if experiments[0].clients.count > MOST_AHEAD or not all(is_live(view.mechanism) for view in seen):
        return ""
    asked = json.dumps([[one.as_json() for one in experiments], [view.design.label for view in seen], client])
    return sha256(asked.encode()).hexdigest()[:12]
