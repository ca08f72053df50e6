"""Somebody else's job, to look at."""

from __future__ import annotations

import streamlit as st

from ldp_core.errors import UnknownJob
from ldp_core.runs import jobs
from pages.parts.launch import title
from pages.parts.live import live_view, settings_of
from pages.parts.text import plain
from pages.parts.workspace import start_with


def watch_only(identity: str) -> None:
    """A job by its id, without the means to change it."""
    title(None)
    try:
        job = jobs.look(identity)
    except UnknownJob:
        st.error("There is no such run on this server (any more).")
        st.page_link("start.py", label=":blue[Back to the start]")
        return
    if job.kind != "run":
        st.info("This run is an attack, not a training.")
        st.page_link("attack.py", label=":blue[Watch it on Attack]", query_params={"job": job.id})
        return
    draft = settings_of(job)
    if draft is None:
        return
    if draft.base.name:
        st.markdown(f"**{plain(draft.base.name)}**")
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Make it mine", type="primary", help="A copy of its settings, to change and to train"):
            del st.query_params["job"]
            start_with(draft)
            st.rerun()
        st.caption("You are watching this run.")
    live_view(draft, job)
