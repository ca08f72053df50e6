"""Attacks on a visitor's own images."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ldp_core import datasets
from ldp_core.datasets.folders import PREFIX
from pages.parts.ui.meanings import problem_in_words
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.workspace import Workspace

HALF = 0.2
"""Of the safe range: the ladder's budgets then lie on both sides of where pictures stop to form."""
MOST_CLIENTS = 20
KEPT = (
    "These pictures stay on this server: they are read from its data folder and sent nowhere else. What a "
    "run keeps of them, those that were attacked and what came back, is deleted with the last run that "
    "shows it."
)


def own_pictures(workspace: Workspace) -> None:
    """A button for each folder of images, or how to add one."""
    mine = [name for name in datasets.names() if name.startswith(PREFIX)]
    with st.expander("Pictures of your own"):
        for name in mine:
            label = datasets.registry.labels()[name]
            here = workspace.draft.base.dataset == name
            st.button(
                plain(f"Attack {label}"),
                key=workspace.key(f"own {name}"),
                disabled=here,
                help="In colour, 32 × 32 pixels, through LeNet; the draft's data and model change with it.",
                on_click=_choose,
                args=(workspace, name),
            )
        if not mine:
            st.caption(
                "Put a folder of PNG, JPEG or WebP images into this server's data folder, in it a folder for "
                "each kind of image, two at least; then it can be chosen here."
            )
        for problem in st.session_state.pop(workspace.key("own refused"), ()):
            st.error(plain(problem_in_words(problem), 300))
    if workspace.draft.base.dataset.startswith(PREFIX):
        st.caption(KEPT)


@pressed
def _choose(workspace: Workspace, name: str) -> None:
    if problems := workspace.edit(through_lenet(name, workspace.draft.base.clients.count)):
        st.session_state[workspace.key("own refused")] = problems


def through_lenet(name: str, clients: int) -> dict[str, Any]:
    """Changes that make an experiment use a folder of colour images through LeNet, with at most `clients`
    clients.
    """
    return {
        "system": None,
        "dataset": name,
        "model": "lenet",
        "partition": {"kind": "iid"},
        "clients.count": min(clients, MOST_CLIENTS, datasets.get(name).train_size),
        "clients.epsilon": 8,
        "clients.low": -HALF,
        "clients.high": HALF,
        "target": "weights",
        "local": {"optimizer": "sgd", "epochs": 1, "learning_rate": 0.1},
        "rounds": 5,
    }
