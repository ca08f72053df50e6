"""From Noise to Train with what was dragged there."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ldp_core.experiment import Draft
from pages.parts.noise.verdicts import asking
from pages.parts.noise.what_if import WhatIf
from pages.parts.ui.workspace import Workspace

LABEL = "Take these designs to Train"


def take_button(workspace: Workspace) -> None:
    """Opens Train; the clients that were dragged ask there for what was dragged, which can be undone."""
    now: WhatIf | None = st.session_state.get(workspace.key("what if"))
    dragged = now is not None and not now.own and not _prepared(workspace.draft)
    help = "With what the sliders ask for; Undo takes it back" if dragged else "Where they learn, or do not"
    if not st.button(LABEL, type="primary", help=help):
        return
    if now is not None and dragged:
        workspace.renew(lambda draft: taken(draft, now))
    st.switch_page("train.py")


def taken(draft: Draft, now: WhatIf) -> Draft:
    """The draft in which all who ask for this client's ε and range ask for the sliders'; as it is where its
    runs have clients of their own, or could not run so asked.
    """
    if now.own or _prepared(draft):
        return draft
    asked, _ = asking(draft.base, now)
    return replace(draft, base=asked)


def _prepared(draft: Draft) -> bool:
    """Whether the runs set their clients' budgets themselves."""
    return any(
        path.split(".")[0] in ("clients", "system") for variant in draft.variants for path in variant.set
    )
