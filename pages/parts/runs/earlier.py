"""Results of settings that have changed since: alike on every page that trains or attacks."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ldp_core.system.shipped import ASSETS
from pages.parts.ui.text import plain


def results(stale: bool) -> DeltaGenerator:
    """Container for results; faint if they are of earlier settings, until pointed at."""
    if stale:
        st.html(ASSETS / "stale.css")
    return st.container(key="results", gap="small")


def of_earlier_settings(since: str = "", more: str = "") -> None:
    """Said beside the button that makes newer ones; what has changed `since`, in a few words."""
    changes = f"; since then: {plain(since, 300)}" if since else ""
    st.caption(f":orange[**The results below are of earlier settings**, so drawn faintly{changes}.{more}]")
