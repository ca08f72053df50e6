"""Button from Noise to Train with the dragged values."""

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
    dragged = now is not None and _moves(workspace.draft, now)
    help = "With what the sliders ask for; Undo takes it back" if dragged else "Where they learn, or do not"
    if st.button(LABEL, type="primary", help=help):
        if now is not None and dragged:
            workspace.renew(lambda draft: taken(draft, now))
        st.switch_page("train.py")


def taken(draft: Draft, now: WhatIf) -> Draft:
    """Draft with the sliders' values for all clients like the dragged one; unchanged if it cannot run."""
    return replace(draft, base=asking(draft.base, now)[0]) if _moves(draft, now) else draft


def _moves(draft: Draft, now: WhatIf) -> bool:
    paths = [path for variant in draft.variants for path in variant.set]
    return not now.own and not any(path.split(".")[0] in ("clients", "system") for path in paths)
