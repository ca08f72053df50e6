"""Export and import of clients as CSV."""

import streamlit as st

from ldp_core.errors import InvalidExperiment, Problem
from ldp_core.experiment import Draft, read_profiles, write_profiles
from ldp_core.tables import MOST_BYTES
from pages.parts.clients.cells import resized
from pages.parts.clients.costs import costs
from pages.parts.ui.meanings import problem_in_words
from pages.parts.ui.text import number, plain
from pages.parts.ui.uninterrupted import uncut
from pages.parts.ui.workspace import Workspace

MOST_SHOWN = 12
"""Largest number of a file's problems that are shown, beside their total."""


def profiles(workspace: Workspace) -> None:
    """Popover with both; a file is applied as a whole or not at all."""
    key = workspace.key("profiles")
    refused: tuple[str, tuple[Problem, ...]] | None = st.session_state.get(f"refused {key}")
    with st.popover("As a CSV file", width="stretch"):
        experiment = workspace.draft.base
        clients = experiment.clients
        if refused:  # first: what comes last may be below the window
            name, problems = refused
            more = len(problems) - MOST_SHOWN
            lines = [f"- {plain(problem_in_words(problem), 300)}" for problem in problems[:MOST_SHOWN]]
            lines += [f"- and {number(more, 6)} more"] if more > 0 else []
            st.error(f"Nothing of {plain(name, 40)} was taken over:\n\n" + "\n".join(lines))
        st.download_button(
            "Download the clients",
            lambda: write_profiles(clients, costs(experiment)),
            file_name="clients.csv",
            mime="text/csv",
            width="stretch",
            on_click="ignore",
        )
        st.file_uploader(
            "Replace them by a file",
            key=key,
            on_change=_take,
            args=(workspace, key),
            help="A line a client, with the columns client, epsilon, low and high (if wanted, scope: "
            "weight, upload or run; and run_limit); "
            f"up to {MOST_BYTES >> 20} MB, as spreadsheets write it.",
        )


@uncut
def _take(workspace: Workspace, key: str) -> None:
    file = st.session_state[key]
    st.session_state.pop(f"refused {key}", None)
    if file is None:
        return

    def taken(draft: Draft) -> Draft:
        limit = resized(draft.base.clients.run_limit, changes["clients.count"])
        return draft.with_base({"clients.run_limit": limit} | changes)

    try:  # to read takes a second or two, in which the store of drafts is not held
        changes = read_profiles(file.getvalue())
        problems = workspace.renew(taken)
    except InvalidExperiment as error:
        problems = error.problems
    if problems:
        st.session_state[f"refused {key}"] = (file.name, problems)
    else:
        st.toast(f"The clients of {plain(file.name, 40)} are here; Undo takes them back.")
