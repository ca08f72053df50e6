"""Noise: what does the mechanism do to one weight, and what is left of it at the server?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import streamlit as st

from ldp_core import mechanisms
from pages.parts.charts.law import law_figure
from pages.parts.charts.styles import tint_of
from pages.parts.noise import design_tables, float_panel
from pages.parts.noise.designs import Design, View, choose, designs, different, views
from pages.parts.noise.promise_table import Promised, promise_table
from pages.parts.noise.upload_chart import upload_figure
from pages.parts.noise.variance_charts import against_budget, against_value
from pages.parts.train.ledger_panel import named_clients
from pages.parts.ui import components
from pages.parts.ui.components import Card
from pages.parts.ui.formulas import AUDIT, PROMISE, SERVER, formula
from pages.parts.ui.fragments import refreshing
from pages.parts.ui.header import header
from pages.parts.ui.text import number, signed
from pages.parts.ui.workspace import Workspace, open_workspace

OTHER = "another ε"
ROUND = (0.1, 0.2, 0.5, 1, 2, 4, 8, 10, 20)
"""Budgets that one wants to be able to set exactly."""


def main() -> None:
    workspace = open_workspace("noise")
    header(workspace)
    st.title("What does the mechanism do to a weight?", anchor=False)
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    with left:
        st.markdown(
            "A mechanism randomises every weight before it leaves a client; an aggregator decides how much "
            "each client counts. Compare up to three designs on the same clients, without any training: the "
            "laws are exact, the promises are bounds, the noise at the server is for weights in the middle "
            "of their range, and the verdict on learning is a rule of thumb."
        )
    with right:
        if st.button("Train these designs", type="primary", width="stretch"):
            st.switch_page("train.py")
    shown = designs(workspace)
    choose(workspace, shown)
    with st.container(border=True):
        design_tables.at_the_server(shown, named_clients(shown[0].experiment))
        formula(SERVER, "formula server")
    # apart from the rest, so that a slider moves only what follows from it
    refreshing(_what_if)(workspace, shown)
    with st.container(border=True):
        design_tables.in_clear(shown)


def _what_if(workspace: Workspace, shown: list[Design]) -> None:
    """Everything that follows from one client, one weight and one budget."""
    population = shown[0].experiment.population()
    named = named_clients(shown[0].experiment)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        who = st.segmented_control(
            "Whose upload",
            [*named, OTHER],
            default=next(iter(named)),
            required=True,
            format_func=lambda name: name if name == OTHER else f"client {named[name] + 1}: {name}",
            key=workspace.key("whose"),
        )
        client = named.get(who, next(iter(named.values())))
        other = _any_budget(workspace, float(population.epsilon[client])) if who == OTHER else None
        seen = views(shown, client, other)
        low, high = min(view.low for view in seen), max(view.high for view in seen)
        value = st.slider(
            "Its weight",
            low,
            high,
            low + 0.6 * (high - low),
            key=f"{workspace.key('value')}-{low}-{high}",
            width=260,
        )
    budgets = population.epsilon.tolist()
    charts = [*_laws(seen, value), *_variances(seen, value, budgets), _strip(different(seen))]
    components.cards(components.sheet(charts), key="charts")
    with st.container(border=True):
        asked = f"a client with ε {number(other)}" if other else f"client {client + 1} ({who})"
        st.markdown(f"**What is promised to {asked}**")
        promise_table(
            [Promised.to(client, view.design.label, view.design.experiment, other) for view in seen]
        )
        formula(PROMISE, "formula promise")
    with st.container(border=True):
        design_tables.audits(seen, other is None, workspace.key("arithmetic"))
        formula(AUDIT, "formula audit")
        float_panel.given_away(seen, chart=other is None)
        design_tables.printed(seen, value)


def _any_budget(workspace: Workspace, start: float) -> float:
    """A ladder of budgets, with all that one wants to set exactly, and the client's own."""
    low, high = min(0.1, start), max(20.0, start)
    steps = [float(f"{step:.2g}") for step in np.geomspace(low, high, 80)]
    ladder = sorted({*steps, *(step for step in map(float, ROUND) if low <= step <= high), start})
    chosen = st.select_slider(
        "ε in the mechanism's own scope",
        ladder,
        start,
        format_func=number,
        key=workspace.key("other"),
        width=260,
    )
    return float(chosen)


def _laws(seen: list[View], value: float) -> Iterator[Card]:
    """What is sent for the weight: a chart for each different law."""
    once = different(seen)
    for view in once:
        mechanism, epsilon, low, high = view.law
        weight = min(max(value, low), high)
        variance = float(mechanism.variance(weight, epsilon, low, high))
        clipped = f", clipped to {signed(weight)}" if weight != value else ""
        tint = tint_of(mechanisms.registry, mechanism.name)
        yield Card(
            title=view.name,
            rest=f": what is sent for a weight of {signed(value)}{clipped}, at ε {number(epsilon)}",
            caption=f"variance {number(variance)}, σ {number(np.sqrt(variance))}; grey: a weight from the "
            "other end of the safe range (shaded)",
            figure=law_figure(mechanism, tint, weight, epsilon, low, high),
            label=f"Law of {view.name} for a weight of {number(weight)} at ε {number(epsilon)}",
            height=260,
            row=len(once),
        )


def _variances(seen: list[View], value: float, budgets: list[float]) -> Iterator[Card]:
    """The variance of what is sent, against the two things that a client can choose."""
    once, use = different(seen), seen[0].design.experiment.use()
    yield Card(
        title="Variance against the budget",
        rest=", for this weight",
        caption="dots: the clients' budgets; crosses: where two of the designs change places",
        figure=against_budget(once, use, value, budgets),
        label=f"Variance of what is sent against the budget, for a weight of {number(value)}",
        row=2,
    )
    at = " or ".join(dict.fromkeys(number(view.epsilon) for view in once))
    yield Card(
        title="Variance against the weight",
        rest=f", at ε {at}",
        caption="a flat line: as much noise for one weight as for any other; ldpsign sends a sign: left out",
        figure=against_value(once, use, value),
        label=f"Variance of what is sent against the weight, at ε {at}",
        row=2,
    )


def _strip(once: list[View]) -> Card:
    """A client's upload, before and after."""
    return Card(
        title="What one client's upload looks like",
        rest=": first weights of a fresh model, before and after",
        caption="blue: above the middle of the safe range; orange: below; full colour: at its end or beyond",
        figure=upload_figure(once),
        label="Weights before and after each design",
        height=40 + 34 * (len(once) + 1),
    )


main()
