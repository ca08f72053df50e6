"""Button from Noise to Train with the dragged values."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ldp_core.experiment import Draft
from pages.parts.noise.verdicts import asking
from pages.parts.noise.what_if import WhatIf
from pages.parts.ui.workspace import Workspace

LABEL = "Take these designs to Train"


def take_button(workspace: Workspace) -> None:
    """Draw the button; dragged values become the draft's, which Undo reverts."""
    now: WhatIf | None = st.session_state.get(workspace.key("what if"))
    dragged = now is not None and not now.own and not _prepared(workspace.draft)
    help = "With what the sliders ask for; Undo takes it back" if dragged else "Where they learn, or do not"
    if not st.button(LABEL, type="primary", help=help):
        return
    if now is not None and dragged:
        workspace.renew(lambda draft: taken(draft, now))
    st.switch_page("train.py")


def taken(draft: Draft, now: WhatIf) -> Draft:
    """Draft in which all clients equal to the dragged one have the sliders' values; unchanged if variants set
    clients, or if the result cannot run.
    """
    if now.own or _prepared(draft):
        return draft
    asked, _ = asking(draft.base, now)
    return replace(draft, base=asked)


def _prepared(draft: Draft) -> bool:
    """Whether variants set their clients' budgets."""
    return any(
        path.split(".")[0] in ("clients", "system") for variant in draft.variants for path in variant.set
    )
