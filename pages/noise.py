"""Noise: what does the mechanism do to one weight, and what is left of it at the server?"""

from __future__ import annotations

import json

import numpy as np
import streamlit as st

from ldp_core import mechanisms
from pages.parts import components, design_tables
from pages.parts.designs import Design, choose, designs
from pages.parts.header import header
from pages.parts.law_charts import law_figure
from pages.parts.ledger_panel import named_clients
from pages.parts.styles import tint_of
from pages.parts.text import number, plain
from pages.parts.upload_chart import upload_figure
from pages.parts.variance_charts import against_budget, against_value
from pages.parts.workspace import Workspace, open_workspace

OTHER = "another ε"


def main() -> None:
    workspace = open_workspace("noise")
    header(workspace)
    st.title("What does the mechanism do to a weight?", anchor=False)
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    with left:
        st.markdown(
            "A mechanism randomises every weight before it leaves a client; an aggregator decides how much "
            "each client counts. Compare up to three designs on the same clients: all of this is exact, "
            "without any training."
        )
    with right:
        if st.button("Train these designs", type="primary", width="stretch"):
            st.switch_page("train.py")
    shown = designs(workspace)
    choose(workspace, shown)
    st.fragment(_what_if)(workspace, shown)


def _what_if(workspace: Workspace, shown: list[Design]) -> None:
    """Everything that follows from one client, one weight and one budget."""
    experiment = shown[0].experiment
    population = experiment.population()
    named = named_clients(experiment)
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
        low, high = float(population.low[client]), float(population.high[client])
        other = _any_budget(workspace, float(population.epsilon[client])) if who == OTHER else None
        value = st.slider(
            "Its weight",
            low,
            high,
            low + 0.6 * (high - low),
            key=f"{workspace.key('value')}-{low}-{high}",
            width=260,
        )
    budgets = [
        other if other is not None else float(design.experiment.population().epsilon[client])
        for design in shown
    ]
    _laws(shown, budgets, value, low, high)
    _variances(shown, budgets[0], value, low, high, population.epsilon.tolist())
    with st.container(border=True):
        st.markdown(
            "**What one client's upload looks like**: the first weights of a fresh model, before and after"
        )
        rows = {(d.experiment.randomiser, e): (d.experiment, e) for d, e in zip(shown, budgets, strict=True)}
        labelled = [(m.label, experiment, epsilon) for (m, _), (experiment, epsilon) in rows.items()]
        strip = json.dumps(upload_figure(labelled, low, high))
        height = 40 + 34 * (len(labelled) + 1)
        components.chart(strip, key="strip", height=height, label="Weights before and after each design")
    with st.container(border=True):
        design_tables.at_the_server(shown, named)
    with st.container(border=True):
        design_tables.promises(shown, client, "like all" if who == OTHER else who)
    with st.container(border=True):
        design_tables.audits(shown, budgets[0], low, high)
    with st.container(border=True):
        design_tables.in_clear(shown)
        design_tables.printed(shown, value, budgets[0], low, high)


def _any_budget(workspace: Workspace, start: float) -> float:
    ladder = np.unique(np.round(np.geomspace(0.1, 20, 93), 3))
    nearest = float(ladder[np.abs(np.log(ladder / start)).argmin()])
    chosen = st.select_slider(
        "ε in the mechanism's scope",
        ladder.tolist(),
        nearest,
        format_func=number,
        key=workspace.key("other"),
        width=260,
    )
    return float(chosen)


def _laws(shown: list[Design], budgets: list[float], value: float, low: float, high: float) -> None:
    """What is sent for the weight: a chart for each different mechanism."""
    seen: dict[object, tuple[Design, float]] = {}
    for design, epsilon in zip(shown, budgets, strict=True):
        seen.setdefault((design.experiment.randomiser, epsilon), (design, epsilon))
    for n, (column, (design, epsilon)) in enumerate(zip(st.columns(len(seen)), seen.values(), strict=True)):
        mechanism = design.experiment.randomiser
        variance = float(mechanism.variance(value, epsilon, low, high))
        tint = tint_of(mechanisms.registry, mechanism.name)
        with column, st.container(border=True):
            st.markdown(
                f"**{mechanism.label}**: what is sent for a weight of {number(value)}, at ε {number(epsilon)}"
            )
            st.caption(
                f"variance {number(variance)}, σ {number(np.sqrt(variance))}; grey: a weight from the other "
                "end of the safe range (shaded)"
            )
            components.chart(
                json.dumps(law_figure(mechanism, tint, value, epsilon, low, high)),
                key=f"law {n}",
                height=260,
                label=f"Law of {mechanism.label} for a weight of {number(value)} at ε {number(epsilon)}",
            )


def _variances(
    shown: list[Design], epsilon: float, value: float, low: float, high: float, budgets: list[float]
) -> None:
    chosen = {d.experiment.mechanism.name: d.experiment.randomiser for d in shown}
    use = shown[0].experiment.use()
    left, right = st.columns(2, gap="small")
    with left, st.container(border=True):
        st.markdown("**Variance against the budget**, for this weight")
        st.caption("dots: the clients' budgets; crosses: where two of the chosen mechanisms change places")
        components.chart(
            json.dumps(against_budget(chosen, use, value, epsilon, budgets, low, high)),
            key="variance",
            label=f"Variance of what is sent against the budget, for a weight of {number(value)}",
        )
    with right, st.container(border=True):
        st.markdown(f"**Variance against the weight**, at ε {number(epsilon)}")
        st.caption(plain("a flat line hides every weight alike; ldpsign is left out: it sends a sign", 200))
        components.chart(
            json.dumps(against_value(chosen, use, value, epsilon, low, high)),
            key="by value",
            label=f"Variance of what is sent against the weight, at ε {number(epsilon)}",
        )


main()
