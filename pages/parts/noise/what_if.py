"""Sliders for one client's ε and safe range and for a weight."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Self

import streamlit as st

from ldp_core.experiment import plan
from ldp_core.limits import BOUND, EPSILON
from pages.parts.noise.designs import Design, View, moved, views
from pages.parts.ui import components
from pages.parts.ui.ladders import BUDGETS, FIRST_WEIGHT, HALVES, Stand, stand, weights
from pages.parts.ui.text import covered, number, range_in_words, signed
from pages.parts.ui.workspace import Workspace

ASKED = "asked"
MOST_MOVES = 10**9


@dataclass(frozen=True)
class WhatIf:
    who: str
    client: int
    seen: tuple[View, ...]
    """The designs where the sliders stand."""
    sliders: Mapping[str, Stand]
    """Position by slider: "epsilon", "tau" (half-width of the safe range, whose centre stays), "weight"."""
    has: Mapping[str, Any]
    """Keys of the precomputed tables that the browser holds."""
    wants: str
    """The slider that is dragged, or was last."""

    @property
    def epsilon(self) -> float | None:
        """ε on the slider; None for the client's own."""
        return self.sliders["epsilon"].here

    @property
    def tau(self) -> float | None:
        return self.sliders["tau"].here

    @property
    def weight(self) -> float:
        return self.values["weight"]

    @property
    def values(self) -> dict[str, float]:
        return {name: one.steps[one.at] for name, one in self.sliders.items()}

    @property
    def own(self) -> bool:
        return self.epsilon is None and self.tau is None

    @property
    def words(self) -> str:
        if self.own:
            return f"client {self.client + 1} ({self.who})"
        budget = f"a client with ε {number(self.values['epsilon'])}{covered(self.seen[0].design.experiment)}"
        return f"{budget} and a safe range of {self.range}" if self.tau else budget

    @property
    def range(self) -> str:
        """The dragged safe range, in words; "" if it is the client's own."""
        centre = sum(self.seen[0].asked[1:]) / 2
        return "" if self.tau is None else range_in_words(centre - self.tau, centre + self.tau)

    @cached_property
    def keys(self) -> dict[str, str]:
        """Cache keys of precomputed tables by slider; each depends on the other sliders."""
        designs = [(plan(view.design.experiment).key, view.design.label) for view in self.seen]
        places = self.sliders["weight"].steps  # which change with the range

        def key(slider: str) -> str:
            depends = designs, self.client, slider, self.still(slider), places if slider == "weight" else None
            return sha256(f"{depends}".encode()).hexdigest()[:12]

        return {slider: key(slider) for slider in self.sliders}

    def still(self, slider: str) -> dict[str, float]:
        """Values of the other sliders while one is dragged."""
        return {name: value for name, value in self.values.items() if name != slider}

    def at(self, slider: str, place: int) -> Self:
        there = replace(self, sliders={**self.sliders, slider: replace(self.sliders[slider], at=place)})
        if slider == "weight":
            return there
        return replace(there, seen=tuple(moved(self.seen, there.epsilon, there.tau)))


def what_if(workspace: Workspace, shown: list[Design], named: Mapping[str, int]) -> WhatIf:
    key = workspace.key("strip")
    asked = _asked(key)
    now = standing(shown, named, asked)
    with st.container(key="strip"):
        components.draw(
            "strip",
            {
                "who": {
                    "label": "Whose upload",
                    "options": [[name, f"client {i + 1}: {name}"] for name, i in named.items()],
                    "chosen": now.who,
                },
                "sliders": [
                    _slider("epsilon", "Budget ε", now)
                    | {"note": " or ".join(dict.fromkeys(covered(one.experiment).strip() for one in shown))},
                    _slider("tau", "Safe range ±τ", now) | _range_note(now),
                    _slider("weight", "Its weight", now),
                ],
                "seq": _moves(asked),
                "ahead": now.keys,
            },
            key=key,
            keeps="asked",
        )
    return now


def standing(shown: list[Design], named: Mapping[str, int], asked: Mapping[str, Any]) -> WhatIf:
    who = str(asked.get("who")) if str(asked.get("who")) in named else next(iter(named))
    first = views(shown, named[who])
    budget, low, high = first[0].asked
    divided = shown[0].experiment.clients.epsilon_scope != "mechanism"  # over many uses
    span = BUDGETS._replace(high=EPSILON.maximum) if divided else BUDGETS
    whole = all(view.mechanism.region == "ball" for view in first)
    sliders = {
        "epsilon": stand(span, budget, asked.get("epsilon")),
        "tau": stand(HALVES, (high - low) / 2, None if whole else asked.get("tau")),
    }
    seen = moved(first, sliders["epsilon"].here, sliders["tau"].here)
    weight = asked.get("weight")  # which the range does not move
    if not isinstance(weight, int | float) or not abs(weight) <= BOUND.maximum:
        weight = _weights(first)[FIRST_WEIGHT]
    steps = _weights(seen, float(weight))
    sliders["weight"] = Stand(steps, None, steps.index(weight))
    has, wants = asked.get("has"), str(asked.get("wants"))
    return WhatIf(
        who,
        named[who],
        tuple(seen),
        sliders,
        has if isinstance(has, Mapping) else {},
        wants if wants in sliders else "epsilon",
    )


def _weights(seen: Sequence[View], stands: float | None = None) -> tuple[float, ...]:
    return weights(min(view.low for view in seen), max(view.high for view in seen), stands)


def _slider(key: str, label: str, now: WhatIf) -> dict[str, Any]:
    at = now.sliders[key]
    text = {"key": key, "label": label, "steps": [signed(step) for step in at.steps], "note": ""}
    return text | {"values": at.steps, "at": at.at, "own": at.own}


def _range_note(now: WhatIf) -> dict[str, Any]:
    """Extra text of the safe range's slider: its centre if not 0, or that norm-bounded uploads have none."""
    if all(view.mechanism.region == "ball" for view in now.seen):
        still = {"steps": ["none"], "values": [None], "at": 0, "own": 0}
        return still | {"note": "whole uploads are shortened to a length instead"}
    _, low, high = now.seen[0].asked
    return {"note": f"around {signed((low + high) / 2)}"} if low != -high else {}


def settled(workspace: Workspace) -> int:
    """Number of the last finished drag; 0 before any."""
    asked = _asked(workspace.key("strip"))
    return _moves(asked) if asked.get("settled") else 0


def _asked(key: str) -> Mapping[str, Any]:
    state = (st.session_state.get(key) or {}).get(ASKED)
    return state if isinstance(state, Mapping) else {}


def _moves(asked: Mapping[str, Any]) -> int:
    count = asked.get("seq")
    return count if isinstance(count, int) and 0 <= count < MOST_MOVES else 0
