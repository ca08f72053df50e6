"""Somebody else's job, to look at."""

from __future__ import annotations

import streamlit as st

from ldp_core.errors import UnknownJob
from ldp_core.runs import jobs
from ldp_core.runs.queue import Job
from pages.parts.launch import title
from pages.parts.live import live_view, settings_of
from pages.parts.text import plain
from pages.parts.workspace import start_with

OTHER = {
    "run": ("This run is an attack, not a training.", "attack.py", "Watch it on Attack"),
    "attack": ("This run is a training, not an attack.", "train.py", "Watch it on Train"),
}


def shared_job(identity: str, kind: str) -> Job | None:
    """The job that a link names; None, and a way out on the page, if it is not one of this kind."""
    try:
        job = jobs.look(identity)
    except UnknownJob:
        st.error("There is no such run on this server (any more).")
        st.page_link("start.py", label=":blue[Back to the start]")
        return None
    if job.kind == kind:
        return job
    what, page, label = OTHER[kind]
    st.info(what)
    st.page_link(page, label=f":blue[{label}]", query_params={"job": job.id})
    return None


def watch_only(identity: str) -> None:
    """A job by its id, without the means to change it."""
    title(None)
    job = shared_job(identity, "run")
    if job is None:
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
