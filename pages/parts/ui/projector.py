"""A view for the wall: tools hidden, all letters large enough for the third row (assets/projector.css)."""

from __future__ import annotations

import streamlit as st

from ldp_core.system.shipped import ASSETS
from pages.parts.ui.memory import tab
from pages.parts.ui.uninterrupted import pressed


def projector_button() -> None:
    """The button that turns the view of this tab on and off, also by its key."""
    on = tab().projector
    st.button(
        "Back from the wall" if on else "Project",
        key="projector",
        shortcut="P",
        help="Large letters for a projector, without tools; the key P does the same",
        on_click=_turn,
    )
    if on:
        st.html(ASSETS / "projector.css")


@pressed
def _turn() -> None:
    tab().projector = not tab().projector
