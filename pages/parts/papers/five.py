"""Comparison of the five systems, by population and run ε."""

import html
from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from ldp_core import presets
from ldp_core.accounting import DELTA, entries, word_of
from ldp_core.experiment import plan
from ldp_core.limits import spelled
from ldp_core.papers.five import (
    CLAIM,
    IMAGES,
    MORE,
    NAME,
    POPULATIONS,
    RATES,
    RUNS,
    Advice,
    PaperPoint,
    advice,
    in_short,
    points,
)
from ldp_core.papers.statements import stated
from ldp_core.papers.stored import measured_by
from ldp_core.presets.of_systems.five_side_by_side import FIVE
from ldp_core.runs import claims, styles
from pages.parts.charts.base import Figure, Lines, colour, line_style, scatter
from pages.parts.ui import components
from pages.parts.ui.components import ChartCard
from pages.parts.ui.text import listed, names_by, number, percent, plain
from pages.parts.ui.workspace import start_with

LEARNT_BY = "sixty_thousand"


def five() -> None:
    with st.container(border=True, key="paper-five"):
        who = "; ".join(f"**{population}**: {says}" for population, says in POPULATIONS.items())
        more = f"The two volunteers pay {MORE} times as much."
        about = f"{who}. {more} Means of five seeds with 95 % intervals; all corrected."
        found = points(claims.shelf(NAME))
        worths = names_by((word_of(run), spelled(int(run))) for run in sorted({one.run for one in found}))
        says = (
            f"{listed(runs)} promise{'s' if not runs[1:] else ''} {word}" for word, runs in worths.items()
        )
        st.header(CLAIM.title, anchor=NAME, help=" ".join([about, *(f"ε {one}." for one in says)]))
        if not found:
            st.caption(f"Not measured yet. `python -m ldp_core papers --rerun {NAME}`")
            return
        rows = [*advice(found)]
        taken = [own for one in rows if one.take for own in one.take.draft.experiments()]
        delta = max((entry.run_worst.delta for own in taken for entry in entries(plan(own))), default=DELTA)
        scope = f"ε: all that a client sends, δ {number(delta)}, against the server."
        st.markdown(f"**{in_short(found)}** {scope}")
        looks = styles(presets.get("five_side_by_side").draft)
        tints = {label: look.tint for label, look in zip(FIVE, looks, strict=False)}
        shown = [
            ChartCard(
                title=population,
                rest="",
                caption="",
                figure=price_figure([one for one in found if one.population == population], tints),
                label=f"Accuracy of five systems against the price of a run. {population}",
                height=340,
                row=len(POPULATIONS),
            )
            for population in POPULATIONS
        ]
        components.draw("cards", components.sheet(shown), key="figures five")
        for place, one in enumerate(rows):
            _row(place, one)
        st.caption(_how(found))


def _row(place: int, one: Advice) -> None:
    runs = listed([spelled(int(run)) for run in one.runs])
    says, button = st.columns([5, 1], vertical_alignment="center")
    says.markdown(f"**{one.population}, ε {runs} a run.** {plain(one.says, 600)}")
    if one.take is None:
        preset = presets.get(LEARNT_BY)
        people = f"See it with {spelled(preset.draft.base.clients.count)} people"
        if button.button(people, key=f"five {place}", help=plain(preset.question, 300)):
            st.switch_page("start.py", query_params={"scenario": LEARNT_BY})
        return
    label = one.take.label
    as_here = f"{label} as measured here: these clients, data and budgets, {one.take.accuracy.seeds} seeds"
    if button.button("Open in Train", key=f"five {place}", help=as_here):
        start_with(one.take.draft)
        st.switch_page("train.py")


def _how(found: tuple[PaperPoint, ...]) -> str:
    whose = measured_by(each for one in found for each in one.figures)
    dates = sorted({figure.date for one in found for figure in one.figures})
    control = min(figure.also["identified_clipped"] for one in found for figure in one.figures)
    bare = "all are" if control == 1 else f"at least {percent(int(100 * control) / 100)}"
    return plain(
        f"Digits, twenty clients, logistic regression, three rounds. A system in which no ε that may "
        f"be asked for costs so much asks for the largest. Each has the learning rate, of "
        f"{RATES[0]:g} to {RATES[-1]:g}, that ends best on public images: MNIST's, made as small. Picked "
        f"out: by the exact likelihood, which of ten images an upload of one image in one step was made of "
        f"(guessing: 10 %); without noise {bare}. {found[0].accuracy.seeds} seeds, {IMAGES} images of each "
        f"client in each round; measured {dates[-1]} by {whose}.",
        1200,
    )


def price_figure(found: Sequence[PaperPoint], tints: Mapping[str, int]) -> Figure:
    """A line per system, with 95 % intervals."""
    chart = Lines()
    for label, tint in tints.items():
        if own := [one for one in found if one.label == label]:
            means, name = [one.accuracy.mean for one in own], html.escape(label)
            halves = [one.accuracy.half if np.isfinite(one.accuracy.half) else 0.0 for one in own]
            error = {"array": halves, "color": colour(tint, 0.5), "thickness": 1, "width": 0}
            text = [
                f"{name}, ε {spelled(int(one.run))} a run: {stated(one.accuracy)} right, "
                f"{percent(one.leaked)} picked out"
                for one in own
            ]
            look = line_style(colour(tint), 2, 7) | {"hovertemplate": "%{text}<extra></extra>"}
            line = scatter([one.run for one in own], means, **look, name=name, error_y=error, text=text)
            chart.add(line, means[-1], f"<b>{name}</b>", colour(tint))
    ticks = {"tickvals": list(RUNS), "ticktext": [spelled(int(run)) for run in RUNS]}
    return chart.figure(
        x={"title": "ε of a whole run", "type": "log", "range": [0.85, 4.15], **ticks, "showgrid": True},
        y={"title": "accuracy, %", "range": [0, 104]},
        hovermode="closest",
    )
