"""Attacks on a visitor's own images."""

import streamlit as st

from ldp_core import datasets
from ldp_core.datasets.folders import PREFIX
from ldp_core.runs import own_data
from pages.parts.clients.data_names import data_label
from pages.parts.clients.own_data import through_lenet
from pages.parts.ui.meanings import problem_in_words
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import visitor
from pages.parts.ui.workspace import Workspace

KEPT = (
    "These pictures stay on this server and are sent nowhere else. What a "
    "run keeps of them, those that were attacked and what came back, is deleted with the last run that "
    "shows it."
)


def own_pictures(workspace: Workspace) -> None:
    base, own = workspace.draft.base, own_data.labels(visitor().owner)
    mine = [name for name in (*datasets.names(), *own) if name.startswith(PREFIX)]
    with st.expander("Pictures of your own"):
        for name in mine:
            st.button(
                plain(f"Attack {data_label(name)}"),
                key=workspace.key(f"own {name}"),
                disabled=base.dataset == name,
                help="In colour, 32 × 32 pixels, through LeNet; the draft's data and model change with it.",
                on_click=_choose,
                args=(workspace, name),
            )
        if not mine:
            st.caption(
                "Put a folder of PNG, JPEG or WebP images into this server's data folder, in it a folder for "
                "each kind of image, two at least; then it can be chosen here."
                + (" Or drop such pictures on Clients." if own_data.hours() else "")
            )
        for problem in st.session_state.pop(workspace.key("own refused"), ()):
            st.error(plain(problem_in_words(problem), 300))
    if base.dataset.startswith(PREFIX):
        st.caption(KEPT)


@pressed
def _choose(workspace: Workspace, name: str) -> None:
    if problems := workspace.edit(through_lenet(name, workspace.draft.base.clients.count)):
        st.session_state[workspace.key("own refused")] = problems
