"""Clients: which budget and safe range does each client have?"""

import numpy as np
import streamlit as st

from ldp_core.errors import Problem
from ldp_core.experiment import Draft, Experiment, plan
from ldp_core.theory import client_variance
from pages.parts.charts.population import left_out, population_figure
from pages.parts.clients.cells import FIELDS, CellEdits, TableCell, apply_edits, errors_of, heard, unmended
from pages.parts.clients.costs import costs, group_data, offer, rule_in_words
from pages.parts.clients.data_panel import data_panel
from pages.parts.clients.fills import fills, profiles
from pages.parts.clients.own_data import own_data_panel
from pages.parts.systems.panel import system_panel
from pages.parts.ui import components
from pages.parts.ui.header import header, headline, question
from pages.parts.ui.meanings import problem_in_words
from pages.parts.ui.text import ASSUMED, asked_in_words, at_most, clipped_in_words, number, plain
from pages.parts.ui.workspace import Workspace, open_workspace

PAGE = 50
"""Rows of the clients' table shown at a time."""
MOST_TABLES = 20
"""Number of tables whose applied edits are remembered; each page of rows is a table."""


def main() -> None:
    workspace = open_workspace("clients")
    wrong = _take_edits(workspace)
    with header(workspace):
        system_panel(workspace)
    groups = group_data(workspace.draft.base)
    dots = "" if groups is None else "Drag a dot, of a group or of one client. "
    question(
        "Who asks for what?",
        "Every client picks its own budget ε and its own safe range: with most mechanisms, the smaller ε "
        f"and the longer the range, the more noise. {dots}In a cell, Enter leads to the next client.",
    )
    for problem in wrong:
        st.error(plain(problem_in_words(problem), 300))
    _said(workspace)
    with st.container(key="dots-first"):
        left, middle, *right = st.columns([1, 3.2] if groups is not None else [1, 1.7, 1.5], gap="medium")
    with left, st.container(border=True):
        fills(workspace)
        profiles(workspace)
    with middle:
        if groups is not None:
            components.draw("dots", groups, key=workspace.key("dots"), keeps="edits")
            st.caption(clipped_in_words(workspace.draft.base))
        # the groups above say all; folded only, so that an edit moves no cell
        with st.expander("Client by client", expanded=bool(groups is None or unmended(workspace))):
            _table(workspace)
    if groups is None:
        with right[0], st.container(border=True, key="beside-cells"):
            _picture(workspace.draft.base)
    data_panel(workspace)
    st.header("Your own table or pictures", anchor=False)
    own_data_panel(workspace)


def _take_edits(workspace: Workspace) -> tuple[Problem, ...]:
    """Apply edits of the clients' table before the page is drawn; returns their problems.

    A newer edit may interrupt this script run at any access to the session, so an edit counts as seen only
    after it is saved; applying one twice is harmless.
    """
    seen = st.session_state.setdefault("seen edits", {})
    typed: dict[TableCell, str] = st.session_state.get(workspace.key("typed"), {})
    states = [heard(st.session_state.get(workspace.key(name))) for name in ("table", "dots")]
    fresh = {mount: [one for one in log if one.serial > seen.get(mount, 0)] for mount, log in states}
    new = [edit for log in fresh.values() for edit in log]
    outcome = CellEdits({}, typed, {})

    def applied(draft: Draft) -> Draft:
        nonlocal outcome
        outcome = apply_edits(draft.base.clients, typed, [(edit.cell, edit.text) for edit in new])
        return draft.with_base(outcome.changes) if outcome.changes else draft

    problems = workspace.change(applied) if new or typed else ()
    st.session_state[workspace.key("typed")] = outcome.typed
    st.session_state[workspace.key("wrong")] = outcome.errors
    for mount, log in fresh.items():
        if log:
            seen.pop(mount, None)
            seen[mount] = log[-1].serial
    for oldest in list(seen)[:-MOST_TABLES]:
        del seen[oldest]
    return problems


def _table(workspace: Workspace) -> None:
    experiment = workspace.draft.base
    clients = experiment.clients
    pages = -(-clients.count // PAGE)
    start = PAGE * (st.pagination(pages, key=workspace.key("page")) - 1) if pages > 1 else 0
    rows = range(start, min(start + PAGE, clients.count))
    own = dict(zip(FIELDS, (clients.budgets(), *clients.bounds()), strict=True))
    noise = np.sqrt(client_variance(plan(experiment)))
    upload, run = (
        ["no bound" if np.isinf(one) else f"ε {at_most(one)}" for one in each]
        for each in costs(experiment, rows).values()
    )
    typed: dict[TableCell, str] = st.session_state.get(workspace.key("typed"), {})
    errors = errors_of(workspace)
    if wrong := unmended(workspace):
        st.markdown(f":red[{wrong}; until then those clients keep what they had.]")
    components.draw(
        "table",
        {
            "rows": [
                {"number": i + 1, "noise": number(noise[i]), "upload": of_upload, "run": of_run}
                | {field: f"{values[i]:g}" for field, values in own.items()}
                for i, of_upload, of_run in zip(rows, upload, run, strict=True)
            ],
            "typed": {f"{client}.{field}": text for (client, field), text in typed.items()},
            "errors": {f"{client}.{field}": message for (client, field), message in errors.items()},
        },
        key=workspace.key("table"),
        keeps="edits",
    )
    st.caption(rule_in_words(experiment, start))


def _said(workspace: Workspace) -> None:
    """Draw what the clients ask for, and where nothing is promised, what would promise something."""
    experiment = workspace.draft.base
    (asked,) = asked_in_words([experiment])
    headline(
        plain(asked),
        f"σ: standard deviation of the noise ({plan(experiment).randomiser.label}) for "
        f"{ASSUMED[plan(experiment).randomiser.region]}.",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("See what that does to the weights", type="primary"):
            st.switch_page("noise.py")
        offer(workspace)


def _picture(experiment: Experiment) -> None:
    """Draw each client's budget with its noise."""
    st.caption("; ".join(filter(None, [clipped_in_words(experiment), left_out(experiment.clients.count)])))
    components.chart(
        population_figure(experiment),
        key="population",
        height=420,
        label=f"Each client's budget, and the noise that follows from it. {asked_in_words([experiment])[0]}.",
    )


main()
