"""Sliders for one client's ε and safe range and for a weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Self

import streamlit as st

from ldp_core.limits import BOUND
from pages.parts.noise.designs import Design, View, around, moved, views
from pages.parts.noise.ladders import FIRST_WEIGHT, HALVES, Stand, budgets_of, stand, weights
from pages.parts.ui import components
from pages.parts.ui.text import covered, number, range_in_words, signed
from pages.parts.ui.workspace import Workspace

ASKED = "asked"
MOST_MOVES = 10**9


@dataclass(frozen=True)
class WhatIf:
    who: str
    """Description of the client."""
    client: int
    epsilon: float | None
    """ε on the slider; None for the client's own."""
    weight: float
    seen: tuple[View, ...]
    tau: float | None = None
    """Half-width of the safe range, whose centre stays; None for the client's own."""
    sliders: Mapping[str, Stand] = field(default_factory=dict)
    """Position by slider: "epsilon", "tau" and "weight"."""
    has: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the precomputed tables that the browser holds."""
    wants: str = "epsilon"
    """The slider that is dragged, or was last."""

    @property
    def own(self) -> bool:
        return self.epsilon is None and self.tau is None

    @property
    def words(self) -> str:
        if self.own:
            return f"client {self.client + 1} ({self.who})"
        asked = self.seen[0].asked[0] if self.epsilon is None else self.epsilon
        budget = f"a client with ε {number(asked)}{covered(self.seen[0].design.experiment)}"
        return f"{budget} and a safe range of {self.range}" if self.tau else budget

    @property
    def range(self) -> str:
        """The dragged safe range, in words; "" if it is the client's own."""
        return "" if self.tau is None else range_in_words(*around(*self.seen[0].asked[1:], self.tau))

    @cached_property
    def keys(self) -> dict[str, str]:
        """Cache keys of precomputed tables by slider; each depends on the other sliders."""
        designs = [(view.design.experiment.key, view.design.label) for view in self.seen]
        at = {"epsilon": self.epsilon, "tau": self.tau, "weight": self.weight}
        places = self.sliders["weight"].steps  # which change with the range

        def key(slider: str) -> str:
            still = {name: value for name, value in at.items() if name != slider}
            depends = designs, self.client, slider, still, places if slider == "weight" else None
            return sha256(f"{depends}".encode()).hexdigest()[:12]

        return {slider: key(slider) for slider in at}

    def still(self, slider: str) -> dict[str, float | None]:
        """Values of the other sliders while one is dragged."""
        return {name: one.steps[one.at] for name, one in self.sliders.items() if name != slider}

    def at(self, slider: str, place: int) -> Self:
        if slider == "weight":
            return replace(self, weight=self.sliders[slider].steps[place])
        asked = self.sliders[slider].asked(place)
        there = replace(self, epsilon=asked) if slider == "epsilon" else replace(self, tau=asked)
        return replace(there, seen=tuple(moved(self.seen, there.epsilon, there.tau)))


def what_if(workspace: Workspace, shown: list[Design], named: Mapping[str, int]) -> WhatIf:
    """Draw the sliders; returns their positions."""
    key = workspace.key("strip")
    asked = _asked(key)
    now = standing(shown, named, asked)
    _, low, high = now.seen[0].asked
    whole = all(view.mechanism.region == "ball" for view in now.seen)
    with st.container(key="strip"):
        components.strip(
            {
                "who": {
                    "label": "Whose upload",
                    "options": [[name, f"client {i + 1}: {name}"] for name, i in named.items()],
                    "chosen": now.who,
                },
                "sliders": [
                    _slider("epsilon", "Budget ε", now) | {"note": covered(shown[0].experiment).strip()},
                    _slider("tau", "Safe range ±τ", now) | _range_note(low, high, whole),
                    _slider("weight", "Its weight", now),
                ],
                "seq": _moves(asked),
                "ahead": now.keys,
            },
            key=key,
        )
    return now


def standing(shown: list[Design], named: Mapping[str, int], asked: Mapping[str, Any]) -> WhatIf:
    who = str(asked.get("who")) if str(asked.get("who")) in named else next(iter(named))
    client = named[who]
    first = views(shown, client)
    budget, low, high = first[0].asked
    whole = all(view.mechanism.region == "ball" for view in first)
    epsilon = stand(
        budgets_of(shown[0].experiment.clients.epsilon_scope != "mechanism"), budget, asked.get("epsilon")
    )
    tau = stand(HALVES, (high - low) / 2, None if whole else asked.get("tau"))
    seen = tuple(moved(first, epsilon.here, tau.here))
    weight, steps = _weight(asked, seen)
    sliders = {"epsilon": epsilon, "tau": tau, "weight": Stand(steps, None, steps.index(weight))}
    has, wants = asked.get("has"), str(asked.get("wants"))
    return WhatIf(
        who,
        client,
        epsilon.here,
        weight,
        seen,
        tau.here,
        sliders,
        has if isinstance(has, Mapping) else {},
        wants if wants in sliders else "epsilon",
    )


def _slider(key: str, label: str, now: WhatIf) -> dict[str, Any]:
    at = now.sliders[key]
    steps = [signed(step) for step in at.steps]
    return {
        "key": key,
        "label": label,
        "steps": steps,
        "values": at.steps,
        "at": at.at,
        "own": at.own,
        "note": "",
    }


def _range_note(low: float, high: float, whole: bool) -> dict[str, Any]:
    """Extra text of the safe range's slider: its centre if not 0, or that norm-bounded uploads have none."""
    if whole:
        still = {"steps": ["none"], "values": [None], "at": 0, "own": 0}
        return still | {"note": "whole uploads are shortened to a length instead"}
    return {"note": f"around {signed((low + high) / 2)}"} if low != -high else {}


def _weight(asked: Mapping[str, Any], seen: Sequence[View]) -> tuple[float, tuple[float, ...]]:
    """The weight, unchanged by the range, and its possible values."""
    own = [view.asked[1:] for view in seen]
    first = weights(min(low for low, _ in own), max(high for _, high in own))[FIRST_WEIGHT]
    chosen = asked.get("weight")
    weight = float(chosen) if isinstance(chosen, int | float) and abs(chosen) <= BOUND.maximum else first
    return weight, weights(min(view.low for view in seen), max(view.high for view in seen), weight)


def settled(workspace: Workspace) -> int:
    """Number of the last finished drag; 0 before any."""
    asked = _asked(workspace.key("strip"))
    return _moves(asked) if asked.get("settled") else 0


def _asked(key: str) -> Mapping[str, Any]:
    """Values of the sliders from the component's state."""
    state = (st.session_state.get(key) or {}).get(ASKED)
    return state if isinstance(state, Mapping) else {}


def _moves(asked: Mapping[str, Any]) -> int:
    count = asked.get("seq")
    return count if isinstance(count, int) and 0 <= count < MOST_MOVES else 0
