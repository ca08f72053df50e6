"""What a promise buys under each trust: a slider over ε of all that a client sends, and a switch of trust."""

from functools import cache
from typing import Any

import streamlit as st

from ldp_core.accounting import AGAINST, NOTHING, worth
from ldp_core.experiment import UNITS, Draft, plan
from ldp_core.inference import at_chance
from ldp_core.runs import PromiseResult, Promises, bought_by, promises_bought
from ldp_core.trust import registry as trusts
from pages.parts.ui import components
from pages.parts.ui.text import number, percent
from pages.parts.ui.uninterrupted import uncut
from pages.parts.ui.workspace import start_with

TITLE = "How much noise, and what does it cost?"
OPENING = (
    "Many train one model together without handing over their data (federated learning); each adds "
    "noise to what they send. The smaller the budget ε, the more noise."
)
KEY = "dissolve"
FIRST = "secure_sum", 2.0
"""Trust and ε at first."""


def hero() -> None:
    if (stored := promises_bought()) is None or (drawn := data()) is None:
        return
    people, *help = said(stored)
    st.markdown(people, help=" ".join(help))
    components.draw("dissolve", drawn, key=KEY, on_trained_change=_pressed)
    if (place := st.session_state.pop("hero trains", None)) is not None:
        start_with(Draft.alone(bought_by(*place)))
        st.switch_page("train.py")


@uncut
def _pressed() -> None:
    pressed, stored = st.session_state[KEY].get("trained"), promises_bought()
    places = [(trust, epsilon) for trust, row in stored.bought.items() for epsilon in row] if stored else []
    if isinstance(pressed, int) and 0 <= pressed < len(places):
        st.session_state["hero trains"] = places[pressed]


def said(stored: Promises) -> tuple[str, str, str]:
    """Whom the slider is about, what can be done with it, and where its figures come from."""
    asked = bought_by(*FIRST)
    return (
        f"**{number(asked.clients.count, 6)} people, one digit each**",
        "Drag what they are promised; change whom they trust.",
        f"Each sends one message of {plan(asked).uploaded // 10} numbers. Stored runs, {stored.date}; each "
        "figure is of the same five runs, the picture of the first.",
    )


@cache
def data() -> dict[str, Any] | None:
    """For assets/web/dissolve.js; None if nothing is stored."""
    if (stored := promises_bought()) is None:
        return None
    names, first = list(stored.bought), stored.bought[FIRST[0]]
    return {
        "trusts": [
            {
                "name": trusts.get(trust).label,
                "steps": [_step(trust, epsilon, one, stored) for epsilon, one in row.items()],
            }
            for trust, row in stored.bought.items()
        ],
        "trust": names.index(FIRST[0]),
        "start": list(first).index(FIRST[1]),
        "covers": f"for {UNITS['client']}",
        "whom": "They trust",
        "shot": "one message, as sent",
        "train": "Train and attack this",
        "original": {"image": stored.original, "label": "the client's own image"},
    }


def _step(trust: str, epsilon: float, bought: PromiseResult, stored: Promises) -> dict[str, Any]:
    found, whom = worth(bought.promise), AGAINST[trusts.get(trust).against]
    most = "at worst practically always"
    if found.right is not None:
        most = "at most " + " of ".join(number(count, 6) for count in found.right)
    can, apart = most, "by the promise, telling two images apart; coin: 50"
    if bought.told is not None:
        can = f"{round(100 * bought.told)} of 100"
        apart = f"telling two images apart; coin: 50; promised: {most.removesuffix(' of 100')}"
    figures = (
        (
            "Accuracy",
            percent(bought.accuracy),
            f"of unseen digits; guessing: {percent(stored.chance)}",
            at_chance(bought.accuracy, stored.chance),
        ),
        ("What is promised", found.promises, f"against {whom}", found.word == NOTHING),
        ("What an attacker can do", can, apart, bought.told is not None and bought.told > 0.75),
    )
    return {
        "name": f"ε {number(epsilon)}, δ {number(bought.promise.delta)}",
        "image": bought.image,
        "label": f"one client's message, drawn, at ε {number(epsilon)}",
        "figures": [
            {"name": name, "words": words, "rest": rest, "kind": "bad" if bad else ""}
            for name, words, rest, bad in figures
        ],
    }
