"""Tables of designs: noise at the server, values in clear."""

import math
from collections.abc import Sequence

import streamlit as st

from ldp_core.mechanisms.piecewise import PiecewiseAsPrinted
from ldp_core.theory import client_weights, sent_in_clear, server_noise
from ldp_core.theory.learnability import ENDS, hits_in_words, outlook
from pages.parts.noise.designs import Design
from pages.parts.ui.tables import table
from pages.parts.ui.text import names_by, number, percent, plain, up_to

VERDICTS = {"learns": ":green", "borderline": ":orange", "chance": ":red", "unknown": ":gray"}
RED = ":red[**{}**]"
SHOWN_FROM = 0.002
"""Relative error of the noise from which on it is shown."""


def at_the_server(shown: Sequence[Design], named: dict[int, str]) -> None:
    """Draw the aggregate's noise beside the size of trained weights, a verdict, and some clients' shares."""
    st.markdown("**What is left of it at the server**, after all clients' uploads are combined")
    head = ["design", "verdict", "noise σ per weight", "variance", "trained weight"]
    head += [f"share of client {i + 1}{words}" for i, words in named.items()]
    rows = []
    for design in shown:
        view, noise = outlook(design.experiment), server_noise(design.experiment)
        weights = client_weights(design.experiment)
        # one standard error, where rounds had to be imagined: half of it for σ, as that is a root
        doubt = noise.error / noise.variance / 2 if noise.variance else 0.0
        about = f" (±{percent(doubt, 1)})" if doubt > SHOWN_FROM else ""
        empty = f"; {percent(noise.empty)} of the rounds are empty" if noise.empty else ""
        rows.append(
            [
                f"**{plain(design.label)}**",
                f"{VERDICTS[view.word]}[**{view.word}**]: {plain(view.why, 200)}{empty}",
                up_to(view.sigma, math.sqrt(noise.most)) + about,
                up_to(view.sigma**2, noise.most),
                number(view.size) if view.size else "not measured",
                *(percent(weights[i], 1) if i < len(weights) else "–" for i in named),
            ]
        )
    table(head, rows)
    ends = {word: (percent(low), percent(high)) for word, (low, high) in ENDS.items()}
    st.caption(
        "Trained weight: the size (root mean square) of the model's weights after training without noise. "
        "The verdict is a rule of thumb, measured on digits: of weights, noise well below that size does "
        "little, and noise well above it drowns them; of changes, what counts is the noise of all rounds "
        "against how far all rounds can move a weight. It was "
        f"{hits_in_words()}. Right is “learns” that ends at {ends['learns'][0]} or more, “chance” at "
        f"{ends['chance'][1]} or less, and “borderline” between {ends['borderline'][0]} and "
        f"{ends['borderline'][1]}. Noise is for weights in the middle of their safe range"
        f"{_otherwise(shown)}, averaged over the rounds in which anybody is heard; ± is one standard "
        "error, where rounds had to be imagined. Shares are for a round in which all take part. Train shows "
        "what really happens."
    )


def _otherwise(shown: Sequence[Design]) -> str:
    used = [design.experiment.randomiser for design in shown]
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
        for item in sent_in_clear(design.experiment)
    )
    if not found:
        return
    st.markdown("**What is sent in clear**: the server learns it as it is, and no ε covers it")
    rows = [
        [RED.format(plain(what)), plain(by), plain(why, 120), plain(", ".join(labels), 160)]
        for (what, by, why), labels in found.items()
    ]
    table(["what", "revealed by", "why", "designs"], rows)
