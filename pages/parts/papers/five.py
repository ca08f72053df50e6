"""All five systems at equal budgets of a run: what the field really has, on one chart."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ldp_core import presets
from ldp_core.cost.traffic import traffic
from ldp_core.limits import spelled
from ldp_core.papers import five_told, side_by_side
from ldp_core.papers.side_by_side import ARMS, CONTROL, IMAGES, NAME, RUNS, Point
from ldp_core.papers.statements import told
from ldp_core.papers.stored import older, words
from ldp_core.presets.of_systems.five_side_by_side import FIVE, PD
from pages.parts.charts.side_by_side import leak_figure, traffic_figure
from pages.parts.charts.styles import styles
from pages.parts.papers.known import known
from pages.parts.ui import components
from pages.parts.ui.components import Card
from pages.parts.ui.tables import table
from pages.parts.ui.text import percent, plain
from pages.parts.ui.workspace import start_with

SCENARIO = "five_side_by_side"
PRICE = 1000.0
"""Of the runs whose uploads are counted."""


def five() -> None:
    with st.container(border=True, key="paper-five"):
        st.header("All five side by side", anchor=NAME)
        found = side_by_side.points(known(NAME))
        draft = presets.get(SCENARIO).draft
        if not found:
            st.caption(f"Not measured yet. `python -m ldp_core papers --rerun {NAME}`")
            return
        finding = plain(five_told.finding(found), 1000)
        st.markdown(f"**{in_short}**" if (in_short := plain(five_told.in_short(found), 400)) else finding)
        looks = dict(zip((one.label for one in draft.variants), styles(draft), strict=True))
        tints = {label: looks[label].tint for label in FIVE}
        lines = {**looks, CONTROL: replace(looks[PD], dash="dot")}
        budgets = [f"ε {spelled(int(run))}" for run in RUNS]
        shown = [
            Card(
                title="Accuracy against leakage",
                rest=f", a run at {', '.join(budgets[:-1])} and {budgets[-1]} a client at worst",
                caption="a line a system, through its budgets; all corrected, on the same clients and "
                "images; upper left is better; dotted: a control",
                figure=leak_figure(found, {label: lines[label] for label in (*FIVE, CONTROL)}),
                label="Accuracy against the share of images picked out, for five systems",
                height=420,
            ),
            Card(
                title="What a client sends in a round",
                rest=", in as few bits as it takes",
                caption=f"each at ε {spelled(PRICE)} a run; counted, without what a protocol adds",
                figure=traffic_figure(_sent(), tints),
                label="Bytes that a client sends in a round, for five systems",
                height=230,
            ),
        ]
        components.cards(components.sheet(shown), key="figures five")
        if in_short:
            with st.expander("Which systems these are, and what cannot be told apart"):
                st.markdown(finding)
        st.caption(_how(found))
        if st.button("Open in Train", key="open five"):
            start_with(draft)
            st.switch_page("train.py")
        with st.expander("All points in numbers"):
            head = ("system", "ε of a run", "accuracy", "picked out", "95 %", "trials", "seeds")
            table(head, [_row(one) for one in found])


def _sent() -> dict[str, float]:
    """Bytes of one client's upload, on average over the rounds in which it takes part."""
    found = {}
    for label in FIVE:
        experiment = side_by_side.experiment(label, PRICE)
        calls = experiment.selection.expected_uploads(experiment.clients.count, experiment.rounds)
        found[label] = traffic(experiment).packed / (experiment.clients.count * calls / experiment.rounds)
    return found


def _how(found: tuple[Point, ...]) -> str:
    seeds = max(one.accuracy.seeds for one in found)
    whose = words(older((ARMS[one.label, one.run], figure) for one in found for figure in one.figures))
    dates = sorted({figure.date for one in found for figure in one.figures})
    missing = [
        f"{label} at ε {spelled(int(run))}" for label in FIVE for run in RUNS if (label, run) not in ARMS
    ]
    control = min(figure.also["identified_clipped"] for one in found for figure in one.figures)
    return plain(
        f"Digits, fifty alike clients, logistic regression, three rounds. Picked out: by the exact "
        f"likelihood, which of ten images an upload of one image in one step was made of. Who picks knows "
        f"the layers that a client keeps, the worst case; without noise at least {percent(control)} of picks "
        f"are right. "
        f"{seeds} seeds, {IMAGES} images of each client in each round; measured {dates[-1]}. "
        f"A run costs what is said to one part in 10 000. "
        f"{f'{whose} ' if whose else ''}Not there, as no ε that may be asked for here costs "
        f"so much: {', '.join(missing)}.",
        1200,
    )


def _row(one: Point) -> list[str]:
    return [
        plain(one.label),
        spelled(int(one.run)),
        told(one.accuracy),
        percent(one.leaked),
        f"{percent(one.low)} to {percent(one.high)}",
        spelled(one.trials),
        str(one.accuracy.seeds),
    ]
