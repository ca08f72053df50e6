"""Display of results whose settings have changed since."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ldp_core.system.shipped import ASSETS
from pages.parts.ui.text import plain


def results(stale: bool) -> DeltaGenerator:
    """Container for results; faint for earlier settings, until pointed at."""
    if stale:
        st.html(ASSETS / "stale.css")
    return st.container(key="results", gap="small")


def of_earlier_settings(since: str = "", more: str = "") -> None:
    """Note that results are of earlier settings, with the changes `since`."""
    since = f"; since then: {plain(since, 300)}" if since else ""
    faint = "**The results below are of earlier settings**, so drawn faintly until pointed at"
    st.caption(f":orange[{faint}{since}.{more}]")
