"""Charts of lessons: numbers that ε covers, and reconstruction quality over variance."""

from __future__ import annotations

from math import ceil, log10, sqrt

import numpy as np
import streamlit as st

from ldp_core import mechanisms
from ldp_core.accounting import Promise, worth
from ldp_core.accounting.compose import compose_counts
from ldp_core.lessons import LessonPlan
from ldp_core.runs import stored_ladder
from pages.parts.charts.base import MUTED, TEXT, colour, figure, log_axis, scatter
from pages.parts.learn.line_up import line_up
from pages.parts.ui import components
from pages.parts.ui.figure_json import Figure
from pages.parts.ui.text import number

EPSILON, DELTA = 0.5, 1e-5
SIZES = {
    "one weight": 1,
    "logistic regression, 650 weights": 650,
    "one hidden layer, 2 410 weights": 2410,
    "the papers' network, 50 000 weights": 50_000,
}
ROUNDS = (1, 2, 5, 15, 50, 100)
MOST_DOTS = 12_000
"""Number of dots above which the square is solid."""
BACK = 20.0
"""PSNR in dB from which on an image counts as recovered."""


def figure_of(plan: LessonPlan) -> None:
    if plan.figure == "releases":
        _releases()
    elif plan.figure == "leak":
        _leak()
        line_up()


def _releases() -> None:
    """Draw the chart of numbers that one person sends in a run, with sliders for rounds and model."""
    with st.container(border=True, key="lesson-dots"):
        st.header("One dot is one number sent, at ε 0.5", anchor=False)
        left, right = st.columns([1, 2], gap="large")
        with left:
            model = st.select_slider("What a person sends in a round", list(SIZES), key="dots of a model")
            rounds = st.select_slider("Rounds", ROUNDS, key="dots of rounds")
            uses = SIZES[model] * rounds
            bound = compose_counts((EPSILON,), (uses,), DELTA if uses > 1 else 0.0)
            least = bound.epsilon
            st.markdown(
                f"**{number(uses, 9)} number{'s' if uses > 1 else ''}**, each with ε 0.5: "
                f"added up, **ε {number(uses * EPSILON, 9)}** for the person."
            )
            if uses > 1:
                st.markdown(f"The best proof for so many: **ε {number(least, 6)}** at δ 10⁻⁵.")
            found = worth(Promise(least, bound.delta, bound.rule, bound.basic, None, True))
            st.markdown(f"It {found.promises}: the server can tell two values apart {found.odds}.")
        with right:
            label = f"{number(uses, 9)} dots, one for each number that a person sends"
            components.chart(dots_figure(uses), key="dots", label=label, height=330)


def dots_figure(uses: int) -> Figure:
    """A dot for each number that ε covers, in a square; a solid square beyond MOST_DOTS."""
    shown = min(uses, MOST_DOTS)
    side = ceil(sqrt(shown * 2))
    x, y = np.arange(shown) % side, np.arange(shown) // side
    size = float(np.clip(420 / side, 2.0, 26))
    hidden = {"visible": False, "range": [-1, side]}
    note = f"{number(uses, 9)} dots: the sheet shows {number(shown, 9)} of them" if uses > shown else ""
    return figure(
        [
            scatter(
                x,
                y,
                mode="markers",
                marker={"color": TEXT, "size": size, "symbol": "square"},
                hoverinfo="skip",
            )
        ],
        x=hidden,
        y={**hidden, "range": [max(1, (shown - 1) // side) + 1, -1]},
        hovermode=False,
        annotations=[
            {"xref": "paper", "yref": "paper", "x": 0, "y": 1.08, "showarrow": False, "text": note}
            | {"font": {"color": MUTED, "size": 14}}
        ],
    )


def _leak() -> None:
    stored = stored_ladder.stored_ladder()
    if stored is None:
        return
    with st.container(border=True, key="lesson-leak"):
        st.header("The better estimator leaks more", anchor=False)
        shown, words = leak_figure(stored)
        st.caption(
            "One dot a budget. To the left the server hears a weight more exactly; upwards the attacker's "
            "picture comes closer to the image (median of twelve)."
        )
        components.chart(shown, key="leak against variance", label=words, height=340)


def leak_figure(stored: stored_ladder.StoredLadder) -> tuple[Figure, str]:
    """Chart of the stored attack grid: PSNR over the variance of one output; and its text."""
    half = float(stored.desk.start["ladder"]["base"]["clients"]["range"])
    names = list(dict.fromkeys(name for name, _ in stored.desk.cells))
    traces, ends, all_x, words = [], [], [], []
    for i, name in enumerate(names):
        law = mechanisms.get(name)
        cells = sorted((e, cell["psnr"]) for (of, e), cell in stored.desk.cells.items() if of == name)
        x = [float(law.variance(0.0, e, -half, half)) for e, _ in cells]
        y = [psnr for _, psnr in cells]
        tint, label = i + 1, mechanisms.registry.labels()[name]
        tips = [f"ε {number(e)}" for e, _ in cells]
        traces.append(
            scatter(
                x,
                y,
                mode="lines+markers",
                line={"color": colour(tint), "width": 1.5},
                marker={"color": colour(tint), "size": 9},
                text=tips,
                hovertemplate=f"{label}, %{{text}}: %{{y:.1f}} dB<extra></extra>",
            )
        )
        all_x += x
        ends.append((y[-1], f"<b>{label}</b>, ε {number(cells[-1][0])}", colour(tint)))
        words.append(f"{label}: up to {max(y):.0f} dB at a variance of {number(min(x))}")
    low, high = log10(min(all_x)) - 0.2, log10(max(all_x)) + 0.2
    axis = log_axis(low, high)
    return (
        figure(
            traces,
            x={
                "title": "variance of the answer for one weight (less: more exact)",
                **axis,
                "range": [high, low],
            },
            y={"title": "closeness of the picture, dB", "range": [0, 30]},
            shapes=[
                {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": BACK, "y1": BACK}
                | {"line": {"color": MUTED, "dash": "dot", "width": 1}}
            ],
            ends=ends,
            hovermode="closest",
        ),
        "; ".join(words),
    )
