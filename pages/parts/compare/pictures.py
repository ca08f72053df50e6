"""The server's view of compared runs: the attacked image, and its reconstruction in each run."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.parts.charts.frames import enlarged
from pages.parts.compare.arms import Arm
from pages.parts.train.server_panel import MOST_COLUMNS, server_panel, uploads_in
from pages.parts.ui.text import plain

SIDE = 112
"""Pixels of a picture on the page, at least."""


def pictures(arms: Sequence[Arm]) -> None:
    """Draw a row for each client that all of the first attacked runs have attacked; nothing without any."""
    attacked = [arm.series for arm in arms if arm.series.runs and arm.series.runs[0].targets][:MOST_COLUMNS]
    kinds = uploads_in(attacked)
    panel = server_panel(attacked, "audit" if "audit" in kinds else next(iter(kinds), "audit"), True, "")
    rows = [row for row in panel["rows"] if row.get("cells")]
    if not rows:
        return
    st.header("What the server sees", anchor=False)
    for row in rows:
        with st.container(horizontal=True, vertical_alignment="bottom", key=f"seen {row['name']}"):
            for title, cell in zip(panel["columns"], row["cells"], strict=True):
                words = f"{plain(title, 30)}: {', '.join(map(plain, cell['captions']))}"
                st.image(enlarged(cell["image"], SIDE), caption=words, width=SIDE)
        st.markdown(f"**{plain(row['name'])}**, {plain(row['budget'])}: {plain(row['says'], 300)}")
    st.caption(plain(panel["note"], 500))
