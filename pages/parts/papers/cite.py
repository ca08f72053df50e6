"""Export of all claims, and citations."""

from __future__ import annotations

import streamlit as st

from ldp_core.runs import of_claims


def cite() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Take all claims away (ZIP)",
            lambda: of_claims.packed(of_claims.everything()),
            file_name="epsilon-studio-claims.zip",
            mime="application/zip",
            key="take claims",
            on_click="ignore",
            help="Statements, readings, arms, controls and every run as CSV and JSON, the papers' tables as "
            "LaTeX, BibTeX; also by `python -m ldp_core papers --export FOLDER`",
        )
        with st.popover("How to cite", type="tertiary"):
            st.code(of_claims.bibtex(), language="bibtex")
