"""Noise: what does the mechanism do to one weight, and what is left of it at the server?"""

from __future__ import annotations

import json

import numpy as np
import streamlit as st

from ldp_core import mechanisms
from ldp_core.experiment import Experiment
from ldp_core.theory import client_weights, server_variance
from pages.parts import components
from pages.parts.fields import component, one_of
from pages.parts.header import header
from pages.parts.law_charts import law_figure, variance_figure
from pages.parts.ledger_panel import ledger_section, named_clients
from pages.parts.text import number, percent, plain
from pages.parts.workspace import Workspace, open_workspace

OTHER = "another ε"
FORMS = {"corrected": "corrected", "as_printed": "as printed"}


def main() -> None:
    workspace = open_workspace()
    header(workspace)
    st.title("What does the mechanism do to a weight?", anchor=False)
    left, right = st.columns([1, 3.4], gap="medium")
    with left, st.container(border=True):
        _mechanism(workspace)
    with right:
        st.fragment(_what_if)(workspace)


def _mechanism(workspace: Workspace) -> None:
    experiment = workspace.draft.base
    mechanism = experiment.randomiser
    component(workspace, "mechanism", "Mechanism", mechanisms.registry, mechanism)
    st.markdown(plain(mechanism.summary, 300))
    if mechanism.as_printed:
        one_of(workspace, "form", "Form", FORMS, experiment.form)
        st.caption(plain(mechanism.as_printed, 400))
    with st.popover("Formula and source", width="stretch"):
        st.latex(mechanism.formula)
        st.caption(plain(mechanism.reference, 200))
    if st.button("Train with it", type="primary", width="stretch"):
        st.switch_page("train.py")


def _what_if(workspace: Workspace) -> None:
    """Everything that follows from one client, one weight and one budget."""
    experiment = workspace.draft.base
    population = experiment.population()
    named = named_clients(experiment)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        who = st.segmented_control(
            "Whose upload",
            [*named, OTHER],
            default=next(iter(named)),
            required=True,
            format_func=lambda name: name if name == OTHER else f"client {named[name] + 1} ({name})",
            key=workspace.key("whose"),
        )
        client = named.get(who, next(iter(named.values())))
        epsilon = float(population.epsilon[client])
        low, high = float(population.low[client]), float(population.high[client])
        if who == OTHER:
            epsilon = _any_budget(workspace, epsilon)
        value = st.slider(
            "Its weight",
            low,
            high,
            low + 0.6 * (high - low),
            key=f"{workspace.key('value')}-{low}-{high}",
            width=260,
        )
    _charts(experiment, value, epsilon, low, high, population.epsilon.tolist())
    _at_the_server(workspace, named)
    ledger_section(workspace.draft)


def _any_budget(workspace: Workspace, start: float) -> float:
    ladder = np.unique(np.round(np.geomspace(0.1, 20, 93), 3))
    nearest = float(ladder[np.abs(np.log(ladder / start)).argmin()])
    chosen = st.select_slider(
        "ε per weight",
        ladder.tolist(),
        nearest,
        format_func=number,
        key=workspace.key("other"),
        width=260,
    )
    return float(chosen)


def _charts(
    experiment: Experiment, value: float, epsilon: float, low: float, high: float, budgets: list[float]
) -> None:
    mechanism = experiment.randomiser
    variance = float(mechanism.variance(value, epsilon, low, high))
    law, spread = st.columns(2, gap="small")
    with law, st.container(border=True):
        st.markdown(f"**What is sent for a weight of {number(value)}**, at ε {number(epsilon)}")
        st.caption("in colour: this weight; grey: one from the other end of the safe range (shaded)")
        components.chart(
            json.dumps(law_figure(mechanism, value, epsilon, low, high)),
            key="law",
            label=f"Law of {mechanism.label}'s output for a weight of {number(value)} at ε {number(epsilon)}",
        )
    with spread, st.container(border=True):
        st.markdown(f"**Variance of what is sent: {number(variance)}**, so σ = {number(np.sqrt(variance))}")
        st.caption("against the budget, for this weight; dots: the clients' budgets")
        components.chart(
            json.dumps(variance_figure(mechanism, value, epsilon, budgets, low, high)),
            key="variance",
            label=f"Variance against budget; {mechanism.label} at ε {number(epsilon)}: {number(variance)}",
        )


def _at_the_server(workspace: Workspace, named: dict[str, int]) -> None:
    """What is left of the noise once all uploads are combined, for each run of the draft."""
    rows = []
    for variant, experiment in zip(workspace.draft.variants, workspace.draft.experiments(), strict=True):
        weights = client_weights(experiment)
        shares = {
            f"weight of client {client + 1} ({name})": percent(weights[client], 1)
            for name, client in named.items()
        }
        sigma = np.sqrt(server_variance(experiment))
        rows.append({"run": variant.label, "noise σ per weight at the server": number(sigma), **shares})
    with st.container(border=True):
        st.markdown("**What is left of it at the server**, after all clients' uploads are combined")
        st.dataframe(rows, hide_index=True, width="stretch")
        st.caption("Noise that is larger than the weights themselves drowns them: Train shows both, squared.")


main()
