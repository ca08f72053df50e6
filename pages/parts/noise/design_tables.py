"""Tables of designs: noise at the server, values in clear."""

import math
from collections.abc import Sequence

import streamlit as st

from ldp_core.experiment import plan
from ldp_core.mechanisms.piecewise import PiecewiseAsPrinted
from ldp_core.runs import pilots
from ldp_core.theory import client_weights, sent_in_clear, server_noise
from ldp_core.theory.learnability import ENDS
from pages.parts.noise.designs import Design
from pages.parts.ui.tables import table
from pages.parts.ui.text import names_by, percent, plain, up_to

VERDICTS = {"learns": ":green", "borderline": ":orange", "chance": ":red", "unknown": ":gray"}
RED = ":red[**{}**]"
SHOWN_FROM = 0.002
"""Relative error of the noise from which on it is shown."""


def at_the_server(shown: Sequence[Design], named: dict[int, str]) -> None:
    """Draw the aggregate's noise, a verdict, and some clients' shares."""
    st.markdown("**What is left of it at the server**, after all clients' uploads are combined")
    head = ["design", "verdict", "noise σ per weight", "variance"]
    head += [f"share of client {i + 1}{words}" for i, words in named.items()]
    rows = []
    views = pilots.known([design.experiment for design in shown])
    for design, view in zip(shown, views, strict=True):
        noise = server_noise(plan(design.experiment))
        sigma = math.sqrt(noise.heard)
        weights = client_weights(plan(design.experiment))
        # one standard error, where rounds had to be imagined: half of it for σ, as that is a root
        doubt = noise.error / noise.variance / 2 if noise.variance else 0.0
        about = f" (±{percent(doubt, 1)})" if doubt > SHOWN_FROM else ""
        empty = f"; {percent(noise.empty)} of the rounds are empty" if noise.empty else ""
        rows.append(
            [
                f"**{plain(design.label)}**",
                f"{VERDICTS[view.word]}[**{view.words}**]: {plain(view.why, 200)}{empty}",
                up_to(sigma, math.sqrt(noise.most)) + about,
                up_to(sigma**2, noise.most),
                *(percent(weights[i], 1) if i < len(weights) else "–" for i in named),
            ]
        )
    table(head, rows)
    low, high = (percent(end) for end in ENDS)
    st.caption(
        "The verdict is from a short trial of a few clients, with the aggregate's exact bias and variance: "
        f"chance ends within {low} of the way from guessing to certainty, learning beyond {high}. Noise is "
        "for weights in the middle of their safe range"
        f"{_otherwise(shown)}, averaged over the rounds in which anybody is heard; ± is one standard "
        "error, where rounds had to be imagined. Shares are for a round in which all take part. Train shows "
        "what really happens."
    )


def _otherwise(shown: Sequence[Design]) -> str:
    used = [plan(design.experiment).randomiser for design in shown]
    notes = []
    if any(one.role == "vote" for one in used):
        notes.append("of signs, up to the largest that weights in their ranges have")
    if any(one.region == "ball" for one in used):
        notes.append("where whole uploads are shortened to a length, for one of that length")
    if any(isinstance(one, PiecewiseAsPrinted) for one in used):
        notes.append("where the scale is an upload's largest weight, with that at the end of its range")
    return f" ({'; '.join(notes)})" if notes else ""


def in_clear(shown: Sequence[Design]) -> None:
    found = names_by(
        ((item.what, item.by, item.why), design.label)
        for design in shown
        for item in sent_in_clear(plan(design.experiment))
    )
    if not found:
        return
    st.markdown("**What is sent in clear**: the server learns it as it is, and no ε covers it")
    rows = [
        [RED.format(plain(what)), plain(by), plain(why, 120), plain(", ".join(labels), 160)]
        for (what, by, why), labels in found.items()
    ]
    table(["what", "revealed by", "why", "designs"], rows)
